import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export interface ForkedS3 {
  endpoint: string;
  /** kill -9, and wait until the process is gone. */
  kill: () => Promise<void>;
  /** The most memory the process has held so far. */
  maxRssBytes: () => Promise<number>;
}

/** Starts a server in a process of its own. */
export async function forkS3(dataDir: string): Promise<ForkedS3> {
  const script = path.join(import.meta.dirname, 'serve-s3.ts');
  const child = fork(script, [dataDir], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const ask = async (name: string): Promise<number> => {
    const [message] = (await once(child, 'message', { signal: AbortSignal.timeout(10_000) })) as [
      unknown,
    ];
    const value = new Map(Object.entries(message ?? {})).get(name);
    if (typeof value !== 'number') throw new TypeError(`the server sent no ${name}`);
    return value;
  };
  const port = await ask('port');
  return {
    endpoint: `http://127.0.0.1:${port}`,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    maxRssBytes: () => {
      const answer = ask('maxRssBytes');
      child.send('how much memory?');
      return answer;
    },
  };
}
