import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../local/processes/free-port.ts';
import { startServer } from './start-server.ts';

export interface TestCloud {
  /** SQS and SNS. */
  readonly endpoint: string;
  readonly s3Endpoint: string;
  readonly eventBridgeEndpoint: string;
  /** Ends the process with SIGKILL and starts it again on the same data and ports. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the process `cloud` alone, with data of its own. */
export async function startCloud(more: Readonly<Record<string, string>> = {}): Promise<TestCloud> {
  const dir = mkdtempSync(join(tmpdir(), 'pawl-cloud-'));
  const [port, s3Port, eventBridgePort] = [
    await findFreePort(),
    await findFreePort(),
    await findFreePort(),
  ];
  const eventBridgeEndpoint = `http://127.0.0.1:${eventBridgePort}`;
  const env = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    CLOUD_DATA_DIR: dir,
    CLOUD_PORT: String(port),
    CLOUD_S3_PORT: String(s3Port),
    CLOUD_EVENTBRIDGE_PORT: String(eventBridgePort),
    ...more,
  };
  const start = () => startServer('local/cloud/server.ts', env, `${eventBridgeEndpoint}/health`);
  let running = await start();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    s3Endpoint: `http://127.0.0.1:${s3Port}`,
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
