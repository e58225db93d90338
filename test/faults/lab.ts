import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { CrashPoint } from '../../jobs/crash-point.ts';
import { connect, type Sql } from '../../jobs/store/connect.ts';
import { isAlive } from '../../local/processes/liveness.ts';
import type { RuntimeProcess } from '../../local/supervisor/runtime-file.ts';
import { type RunningPawl, startPawl } from '../support/start-pawl.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Provider, startProvider } from './provider.ts';

export type JobView = {
  readonly jobId: string;
  readonly type: string;
  readonly status: string;
  readonly run: number;
  readonly result: { readonly sha256?: string } | null;
  readonly failure: { readonly code: string; readonly state: string | null } | null;
  readonly execution: {
    readonly name: string;
    readonly arn: string;
    readonly redriveCount: number;
  };
};

export type Call = {
  readonly method?: string;
  readonly key?: 'client' | 'operator';
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
};

/** All of Pawl with a provider of the test's, crash points that can be armed, and hands on everything. */
export type Lab = {
  readonly pawl: RunningPawl;
  readonly provider: Provider;
  readonly sql: Sql;
  readonly sfn: SFNClient;
  readonly sqs: SQSClient;
  /** One API call, repeated while there is no answer, a 5xx or a 408: the client's side of the promise. */
  call(path: string, call?: Call): Promise<{ readonly status: number; readonly body: unknown }>;
  /** POST /jobs until 202; the job's id. */
  submit(request: unknown, idempotencyKey: string): Promise<string>;
  job(jobId: string): Promise<JobView>;
  /** The job, once it has one of these statuses. */
  settled(jobId: string, statuses?: readonly string[], timeoutMs?: number): Promise<JobView>;
  /** Resolves when the job's execution is known to be closed, and nobody has to look after it any more. */
  seenClosed(jobId: string): Promise<void>;
  arm(point: CrashPoint): void;
  /** The pid of the process that died at the point since it was armed, once it is gone and its connections with it. */
  diedAt(point: CrashPoint): number | undefined;
  disarm(): void;
  pidOf(name: RuntimeProcess): number;
  stop(): Promise<number>;
};

/**
 * Time compressed, for `startLab`: what a killed worker had in hand comes back after 10 s instead of 30, which is when a
 * living one prolongs it.
 */
export const killsMany = { CLOUD_LONGEST_VISIBILITY_SECONDS: '10' };
export const finalStatuses = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED'];
const callTimeoutMs = 60_000;
/** 408 asks for the same once more (RFC 9110, section 15.5.9). */
const isFinal = ({ status }: { readonly status: number }): boolean =>
  status < 500 && status !== 408;

export async function startLab(
  env: Readonly<Record<string, string>> = {},
  dataDir?: string,
): Promise<Lab> {
  const provider = await startProvider();
  const crashFolder = mkdtempSync(join(tmpdir(), 'pawl-crash-'));
  const crashFile = join(crashFolder, 'point');
  const pawl = await startPawl({
    ...(dataDir === undefined ? {} : { dataDir }),
    env: {
      WEBHOOK_URL: provider.url,
      CRASH_POINT_FILE: crashFile,
      RECONCILE_INTERVAL_MS: '500',
      SUPERVISOR_LONGEST_BACKOFF_MS: '0',
      JOB_TYPE_DIRS: fileURLToPath(new URL('job-types', import.meta.url)),
      ...env,
    },
  }).catch(async (error: unknown) => {
    await provider.stop();
    throw error;
  });
  const { databaseUrl, endpoints } = pawl.runtime();
  const account = {
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const sfn = new SFNClient({ ...account, endpoint: endpoints.sfn });
  const sqs = new SQSClient({ ...account, endpoint: endpoints.sqs, useQueueUrlAsEndpoint: false });
  const database = {
    url: databaseUrl,
    poolSize: 4,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 5_000,
  };
  const sql = connect(database, 'fault tests');

  const callOnce = async (
    path: string,
    { method = 'GET', key = 'operator', body, headers = {} }: Call,
  ) => {
    const { api, keys } = pawl.runtime();
    const response = await fetch(`${api}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${keys[key]}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(15_000),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
  };
  const call = async (path: string, options: Call = {}) => {
    const deadline = performance.now() + callTimeoutMs;
    for (;;) {
      const answer = await callOnce(path, options).catch((error: unknown) => error);
      if (!(answer instanceof Error) && isFinal(answer as { status: number }))
        return answer as { status: number; body: unknown };
      if (performance.now() > deadline)
        throw new Error(`${path}: no answer in ${callTimeoutMs} ms`, { cause: answer });
      await delay(50);
    }
  };
  const job = async (jobId: string): Promise<JobView> => {
    const { status, body } = await call(`/jobs/${jobId}`);
    if (status !== 200) throw new Error(`GET /jobs/${jobId} answered ${status}`);
    return body as JobView;
  };
  const firedFile = (point: CrashPoint): string => `${crashFile}.${point}.fired`;
  return {
    pawl,
    provider,
    sql,
    sfn,
    sqs,
    call,
    job,
    async submit(request, idempotencyKey) {
      const headers = { 'idempotency-key': idempotencyKey };
      const answer = await call('/jobs', { method: 'POST', key: 'client', body: request, headers });
      if (answer.status !== 202)
        throw new Error(`POST /jobs answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return (answer.body as JobView).jobId;
    },
    settled: (jobId, statuses = finalStatuses, timeoutMs = 60_000) =>
      waitFor(
        async () => {
          const found = await job(jobId);
          return statuses.includes(found.status) ? found : undefined;
        },
        timeoutMs,
        `job ${jobId} to be ${statuses.join(' or ')}`,
      ),
    seenClosed: async (jobId) => {
      const ownerUntil = async (): Promise<unknown> => {
        const [row] = await sql`select owner_until from jobs where job_id = ${jobId}`;
        return row?.['owner_until'];
      };
      const isClosed = async (): Promise<boolean> => (await ownerUntil()) === null;
      await waitFor(isClosed, 20_000, 'the execution to be seen closed');
    },
    arm: (point) => {
      rmSync(firedFile(point), { force: true });
      writeFileSync(crashFile, point);
    },
    diedAt: (point) => {
      const pid = existsSync(firedFile(point)) ? Number(readFileSync(firedFile(point), 'utf8')) : 0;
      return pid > 0 && !isAlive(pid) ? pid : undefined; // NaN: it is just being written
    },
    disarm: () => rmSync(crashFile, { force: true }),
    pidOf: (name) => pawl.runtime().pids[name],
    stop: async () => {
      await sql.end({ timeout: 2 });
      sfn.destroy();
      sqs.destroy();
      const code = await pawl.stop();
      await provider.stop();
      rmSync(crashFolder, { recursive: true, force: true });
      return code;
    },
  };
}
