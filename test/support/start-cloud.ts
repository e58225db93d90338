import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../local/processes/free-port.ts';
import { guard } from '../../local/processes/guard.ts';
import { waitFor } from './wait-for.ts';

export interface TestCloud {
  /** SQS, SNS and S3. */
  readonly endpoint: string;
  readonly eventBridgeEndpoint: string;
  /** Ends the process with SIGKILL and starts it again on the same data and ports. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

const SERVER = fileURLToPath(new URL('../../local/cloud/server.ts', import.meta.url));

/** Starts the process `cloud` alone, with data of its own. */
export async function startCloud(): Promise<TestCloud> {
  const dir = mkdtempSync(join(tmpdir(), 'pawl-cloud-'));
  const [port, eventBridgePort] = [await findFreePort(), await findFreePort()];
  const endpoint = `http://127.0.0.1:${port}`;
  const eventBridgeEndpoint = `http://127.0.0.1:${eventBridgePort}`;
  const start = async () => {
    const child = spawn(process.execPath, [SERVER], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        AWS_REGION: 'us-east-1',
        CLOUD_DATA_DIR: dir,
        CLOUD_PORT: String(port),
        CLOUD_EVENTBRIDGE_PORT: String(eventBridgePort),
      },
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const guarded = guard(child.pid ?? 0, 'TERM');
    await waitFor(async () => (await fetch(`${eventBridgeEndpoint}/health`)).ok, 20_000, 'cloud');
    return {
      end: async (signal: NodeJS.Signals) => {
        child.kill(signal);
        await ended;
        guarded.release();
      },
    };
  };
  let running = await start();
  return {
    endpoint,
    eventBridgeEndpoint,
    killAndRestart: async () => {
      await running.end('SIGKILL');
      running = await start();
    },
    stop: async () => {
      await running.end('SIGTERM');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
