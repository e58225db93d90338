import { S3Client, CreateBucketCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { createS3Server } from '../../local/s3/server.ts';
import { credentials, region } from './test-account.ts';

export interface RunningS3 {
  endpoint: string;
  dataDir: string;
  /** A client for the running server; closed with the test. */
  client: (config?: S3ClientConfig) => S3Client;
  /** Moves the server's clock. */
  advance: (seconds: number) => void;
  /** Errors the server logged as its own. */
  errors: object[];
}

/** Starts a server on a folder of its own, gone with the test. */
export async function startS3(t: TestContext): Promise<RunningS3> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 's3-test-'));
  let offsetMs = 0;
  const errors: object[] = [];
  const server = createS3Server({
    dataDir,
    region,
    credentials: [credentials],
    clock: { now: () => Date.now() + offsetMs },
    log: { info: () => undefined, error: (fields) => errors.push(fields) },
  });
  const { port } = await server.listen('127.0.0.1', 0);
  const endpoint = `http://127.0.0.1:${port}`;
  const clients: S3Client[] = [];
  t.after(async () => {
    for (const client of clients) client.destroy();
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    endpoint,
    dataDir,
    errors,
    client: (config) => {
      const client = s3Client(endpoint, config);
      clients.push(client);
      return client;
    },
    advance: (seconds) => {
      offsetMs += seconds * 1000;
    },
  };
}

export function s3Client(endpoint: string, config: S3ClientConfig = {}): S3Client {
  return new S3Client({
    endpoint,
    region,
    credentials,
    forcePathStyle: true,
    maxAttempts: 1,
    ...config,
  });
}

/** Starts a server with one bucket, versioned or not. */
export async function startWithBucket(
  t: TestContext,
  options: { versioned: boolean } = { versioned: false },
): Promise<RunningS3 & { s3: S3Client; Bucket: string }> {
  const running = await startS3(t);
  const s3 = running.client();
  const Bucket = 'pail';
  await s3.send(
    new CreateBucketCommand({
      Bucket,
      CreateBucketConfiguration: { LocationConstraint: region },
    }),
  );
  if (options.versioned) {
    await s3.send(
      new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }),
    );
  }
  return { ...running, s3, Bucket };
}

/** Expects a refusal with that error name (the SDK's for HEAD is generic) and status. */
export function refusal(name: string, status: number): (error: unknown) => boolean {
  return (error) => {
    if (!(error instanceof Error) || !('$metadata' in error)) throw error;
    const { httpStatusCode } = error.$metadata as { httpStatusCode?: number };
    const found = `${httpStatusCode} ${error.name}`;
    if (found !== `${status} ${name}`) {
      throw new Error(`expected ${status} ${name}, got ${found}: ${error.message}`, {
        cause: error,
      });
    }
    return true;
  };
}
