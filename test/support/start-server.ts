import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { guard } from '../../local/processes/guard.ts';
import { recordCalls } from './record-calls.ts';
import { waitFor } from './wait-for.ts';

export interface TestServerProcess {
  /** Ends the process with the signal and resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts one of our server files as a process of its own and waits until `healthUrl` answers 200. */
export async function startServer(
  file: string,
  env: Readonly<Record<string, string>>,
  healthUrl: string,
): Promise<TestServerProcess> {
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const child = spawn(process.execPath, [path], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...recordCalls(), ...env },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const guarded = guard(child.pid ?? 0, 'TERM');
  await waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}`);
      return (await fetch(healthUrl)).ok;
    },
    20_000,
    `${file} to be ready`,
  );
  return {
    end: async (signal) => {
      child.kill(signal);
      await ended;
      guarded.release();
    },
  };
}
