import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Sql } from '../../jobs/store/connect.ts';
import { type Answer, call } from '../api/call.ts';
import { connectTo } from '../support/connect-test.ts';
import { type RunningPawl, startPawl } from '../support/start-pawl.ts';
import { waitFor } from '../support/wait-for.ts';

const jobTypes = fileURLToPath(new URL('job-types', import.meta.url));

export type Operations = {
  readonly pawl: RunningPawl;
  readonly sql: Sql;
  readonly sqs: SQSClient;
  /** Calls the API with the operator's key. */
  readonly ops: (method: string, path: string, json?: unknown) => Promise<Answer>;
  /** Submits a job of the type `gate`; gives its id. */
  readonly submitGate: () => Promise<string>;
  readonly closeGate: () => void;
  readonly openGate: () => void;
  /** Waits until the job has the status; gives the job. */
  readonly until: (jobId: string, status: string, timeoutMs?: number) => Promise<Answer['body']>;
};

/** All of Pawl with the job type `gate`, for one test file. */
export async function startOperations(
  env: Readonly<Record<string, string>> = {},
): Promise<Operations> {
  const dir = mkdtempSync(join(tmpdir(), 'pawl-gate-'));
  const gate = join(dir, 'closed');
  const pawl = await startPawl({ env: { JOB_TYPE_DIRS: jobTypes, ...env } });
  after(async () => {
    await pawl.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const { api, keys, databaseUrl, endpoints } = pawl.runtime();
  const get = async (jobId: string) =>
    await call('GET', `${api}/jobs/${jobId}`, { key: keys.client });
  return {
    pawl,
    sql: connectTo(databaseUrl, 4),
    sqs: new SQSClient({
      endpoint: endpoints.sqs,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      useQueueUrlAsEndpoint: false,
    }),
    ops: async (method, path, json) =>
      await call(method, `${pawl.runtime().api}${path}`, {
        key: keys.operator,
        ...(json === undefined ? {} : { json }),
      }),
    submitGate: async () => {
      const json = { type: 'gate', input: { closedWhile: gate } };
      const answer = await call('POST', `${api}/jobs`, { key: keys.client, json });
      if (answer.status !== 202) throw new Error(`POST /jobs answered ${answer.text}`);
      return answer.body.jobId;
    },
    closeGate: () => closeSync(openSync(gate, 'w')),
    openGate: () => rmSync(gate, { force: true }),
    until: async (jobId, status, timeoutMs = 20_000) =>
      await waitFor(
        async () => {
          const { body } = await get(jobId);
          return body.status === status && body;
        },
        timeoutMs,
        `job ${jobId} to be ${status}`,
      ),
  };
}
