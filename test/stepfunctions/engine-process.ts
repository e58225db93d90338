import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { SFNClient } from '@aws-sdk/client-sfn';

const SERVER = new URL('../../local/stepfunctions/server.ts', import.meta.url).pathname;

type Options = {
  readonly dataDir: string;
  readonly port?: number;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** No file may grow beyond so many blocks of 512 bytes: a disk that is full. */
  readonly maxFileBlocks?: number;
};

export type EngineProcess = {
  readonly port: number;
  readonly endpoint: string;
  readonly pid: number;
  /** SIGKILL: no word of farewell. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Resolves with the exit code when it has ended by itself. */
  ended(): Promise<number | null>;
  stderr(): string;
};

/** The engine as `npm run stepfunctions` starts it. Killed when the test file is done. */
export async function startEngineProcess({
  dataDir,
  port = 0,
  args = [],
  env = {},
  maxFileBlocks,
}: Options): Promise<EngineProcess> {
  const command = [process.execPath, SERVER, '--port', String(port), '--data', dataDir, ...args];
  const limit = maxFileBlocks === undefined ? '' : `ulimit -f ${maxFileBlocks}; `;
  const child = spawn('sh', ['-c', `${limit}exec "$0" "$@"`, ...command], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  after(() => void child.kill('SIGKILL'));
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const ready = await readyLine(child, errors);
  const exit = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    port: ready.port,
    endpoint: `http://127.0.0.1:${ready.port}`,
    pid: child.pid ?? 0,
    kill: async () => void (await exit('SIGKILL')),
    stop: () => exit('SIGTERM'),
    ended: async () => {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return child.exitCode;
    },
    stderr: () => errors.join(''),
  };
}

/** Starts the engine where it must not start; resolves with what it said. */
export async function engineRefusal(
  dataDir: string,
): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [SERVER, '--port', '0', '--data', dataDir]);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.on('data', () => child.kill('SIGKILL'));
  await once(child, 'exit');
  return { code: child.exitCode, stderr };
}

async function readyLine(child: ChildProcess, errors: string[]): Promise<{ port: number }> {
  if (!child.stdout) throw new Error('the engine has no stdout');
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([
    once(lines, 'line').then(([text]) => String(text)),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the engine ended with ${String(code)}: ${errors.join('')}`);
    }),
  ]);
  return JSON.parse(line) as { port: number };
}

export function clientOf(endpoint: string): SFNClient {
  return new SFNClient({
    endpoint,
    region: 'us-east-1',
    disableHostPrefix: true,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
}

/** What a function is asked and answers: `undefined` keeps the caller waiting until it hangs up. */
export type PlayFunction = (name: string, payload: unknown) => Promise<unknown>;

/** Lambda's Invoke API, played by the test. */
export async function startLambda(
  play: PlayFunction,
): Promise<{ endpoint: string; close(): void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [, name = ''] = /functions\/([^/?]+)\/invocations/.exec(request.url ?? '') ?? [];
      const payload: unknown = JSON.parse(Buffer.concat(chunks).toString() || '{}');
      play(decodeURIComponent(name), payload).then(
        (result) => {
          if (result === undefined || response.destroyed) return;
          response.writeHead(200, { 'Content-Type': 'application/json' });
          response.end(JSON.stringify(result));
        },
        (error: unknown) => {
          response.writeHead(200, { 'X-Amz-Function-Error': 'Unhandled' });
          const message = error instanceof Error ? error.message : String(error);
          response.end(JSON.stringify({ errorType: 'Error', errorMessage: message }));
        },
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  after(close);
  return { endpoint: `http://127.0.0.1:${port}`, close };
}
