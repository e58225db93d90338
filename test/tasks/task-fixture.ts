import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import {
  CreateBucketCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { type Logger, pino } from 'pino';
import { readTasksConfig, type WebhookConfig } from '../../jobs/config.ts';
import type { JobId } from '../../jobs/ids.ts';
import type { PayloadReference } from '../../jobs/payload-reference.ts';
import type { Sql } from '../../jobs/store/connect.ts';
import { createS3Server } from '../../local/s3/server.ts';
import { createHttpClient } from '../../tasks/runtime/http-client.ts';
import { rememberRuns } from '../../tasks/runtime/remember-runs.ts';
import type { TaskDeps } from '../../tasks/runtime/task-deps.ts';
import { connectTo } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';
import { testDatabase } from '../support/test-database.ts';

export const bucket = 'payloads';
export const webhookSecret = `whsec_${Buffer.from('a secret of thirty-two bytes ok!').toString('base64')}`;

/** Everything that tasks stand on, real: a database and an S3 of this test file's own. */
export type TaskWorld = {
  readonly deps: TaskDeps;
  readonly sql: Sql;
  readonly s3: S3Client;
  /** What was logged, one JSON text an entry. */
  readonly logged: string[];
};

/** Nobody listens there. */
const nowhere = 'http://127.0.0.1:9/';

type Wanted = { readonly webhook?: Partial<WebhookConfig>; readonly versioned?: boolean };

export async function startTaskWorld({
  webhook,
  versioned = false,
}: Wanted = {}): Promise<TaskWorld> {
  const { url } = await testDatabase();
  const sql = connectTo(url);
  const s3 = await startBucket(versioned);
  const http = createHttpClient();
  after(() => http.close());
  const logged: string[] = [];
  const log: Logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const config = readTasksConfig({
    DATABASE_URL: url,
    PAYLOAD_BUCKET: bucket,
    WEBHOOK_URL: webhook?.url ?? nowhere,
    WEBHOOK_SECRET: webhookSecret,
    WEBHOOK_POLICY: webhook?.policy,
    PAYMENT_URL: nowhere,
    CALLBACK_BASE_URL: nowhere,
    SMTP_URL: 'smtp://127.0.0.1:9',
  });
  const deps: TaskDeps = {
    config,
    sql,
    s3,
    http,
    openRun: rememberRuns(),
    log,
    effectTiming: { leaseMs: 2_000, callTimeoutMs: 1_500, settleMs: 500, jitterMs: 0 },
  };
  return { deps, sql, s3, logged };
}

async function startBucket(versioned: boolean): Promise<S3Client> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pawl-s3-'));
  const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'of the tests' };
  const region = 'us-east-1';
  const server = createS3Server({
    dataDir,
    region,
    credentials: [credentials],
    clock: Date,
    log: { info: () => undefined, error: (fields) => console.error(fields) },
  });
  const { port } = await server.listen('127.0.0.1', 0);
  const endpoint = `http://127.0.0.1:${port}`;
  const s3 = new S3Client({
    endpoint,
    region,
    credentials,
    forcePathStyle: true,
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  if (versioned) {
    const VersioningConfiguration = { Status: 'Enabled' as const };
    await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
  }
  after(async () => {
    s3.destroy();
    await server.close({ graceMs: 100 });
    await rm(dataDir, { recursive: true, force: true });
  });
  return s3;
}

export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Puts a payload under the tenant's prefix and gives the reference that a client would send. */
export async function putPayload(
  s3: S3Client,
  bytes: Buffer,
  contentType?: string,
): Promise<PayloadReference> {
  const key = `payloads/acme/${randomUUID()}`;
  await s3.send(
    new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: bytes,
      ...(contentType === undefined ? {} : { ContentType: contentType }),
    }),
  );
  return { bucket, key, sha256: sha256Of(bytes), size: bytes.length };
}

/** A job as POST leaves it, with this input and payload. */
export async function seedDocumentJob(
  sql: Sql,
  input: { readonly documentId: string; readonly version: number },
  payloadRef: PayloadReference,
): Promise<JobId> {
  const { jobId } = await seedJob(sql, { input });
  await sql`update jobs set payload_ref = ${sql.json(payloadRef)} where job_id = ${jobId}`;
  return jobId;
}

/** What a Task state of the job's first execution passes. */
export const eventOf = (
  jobId: JobId,
  state: string,
  extras: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  jobId,
  type: 'document-metadata',
  executionName: jobId,
  redriveCount: 0,
  state,
  ...extras,
});

export type ReportedFailure = {
  readonly errorType: string;
  readonly code: string;
  readonly state: string;
  readonly message: string;
};

/** What Lambda would report of a task that failed: errorType, and errorMessage parsed. */
export async function reportedFailure(task: Promise<unknown>): Promise<ReportedFailure> {
  try {
    await task;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { errorType: error.name, ...JSON.parse(error.message) };
  }
  throw new Error('the task did not fail');
}
