import { createHash } from 'node:crypto';
import { after } from 'node:test';
import { SFNClient } from '@aws-sdk/client-sfn';
import { connect, type Sql } from '../../jobs/store/connect.ts';
import { type RunningPawl, startPawl } from '../support/start-pawl.ts';
import { waitFor } from '../support/wait-for.ts';

export type ImportJob = {
  readonly jobId: string;
  readonly status: string;
  readonly progress: {
    readonly done: number;
    readonly total: number;
    readonly failed: number;
  } | null;
  readonly execution: { readonly arn: string };
  readonly links: { readonly errors?: string };
  readonly result: {
    readonly total: number;
    readonly imported: number;
    readonly failed: number;
    readonly errorsRef?: { readonly bucket: string; readonly key: string };
  } | null;
  readonly failure: {
    readonly code: string;
    readonly state: string | null;
    readonly message: string;
    readonly retryable: boolean;
  } | null;
};

export type ImportInput = {
  readonly dataset: string;
  readonly keyField: string;
  readonly toleratedFailurePercentage?: number;
};

type Call = {
  readonly method?: string;
  readonly key?: 'client' | 'operator';
  readonly body?: unknown;
};

/** All of Pawl, and what a client of batch-import does. */
export type ImportLab = {
  readonly pawl: RunningPawl;
  readonly sql: Sql;
  readonly sfn: SFNClient;
  call(path: string, call?: Call): Promise<Response>;
  submit(payload: Buffer, input: ImportInput, contentType?: string): Promise<string>;
  job(jobId: string): Promise<ImportJob>;
  settled(jobId: string): Promise<ImportJob>;
  run(payload: string | Buffer, input: ImportInput, contentType?: string): Promise<ImportJob>;
  /** The lines of the errors file, fetched as a client does. */
  errors(jobId: string): Promise<{ line: number; code: string; message: string }[]>;
  rows(dataset: string): Promise<Record<string, unknown>[]>;
};

const settledMs = 60_000;

export async function startImportLab(
  env: Readonly<Record<string, string>> = {},
): Promise<ImportLab> {
  const pawl = await startPawl({ env: { SUPERVISOR_LONGEST_BACKOFF_MS: '0', ...env } });
  const { databaseUrl: url, endpoints } = pawl.runtime();
  const sfn = new SFNClient({
    region: 'us-east-1',
    endpoint: endpoints.sfn,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const limits = { poolSize: 2, statementTimeoutMs: 10_000, lockTimeoutMs: 5_000 };
  const sql = connect({ url, ...limits }, 'import tests');
  after(async () => {
    sfn.destroy();
    await sql.end({ timeout: 2 });
    await pawl.stop();
  });

  const call = async (path: string, { method = 'GET', key = 'client', body }: Call = {}) => {
    const { api, keys } = pawl.runtime();
    return await fetch(`${api}${path}`, {
      method,
      headers: { authorization: `Bearer ${keys[key]}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
  const json = async (path: string, options?: Call): Promise<unknown> => {
    const response = await call(path, options);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };
  const upload = async (payload: Buffer, contentType: string): Promise<unknown> => {
    const sha256 = createHash('sha256').update(payload).digest('hex');
    const body = { sha256, size: payload.length, contentType };
    const put = (await json('/uploads', { method: 'POST', body })) as {
      readonly uploadUrl?: string;
      readonly headers?: Record<string, string>;
      readonly parts?: { readonly url: string; readonly headers: Record<string, string> }[];
      readonly payloadRef: unknown;
    };
    if (put.uploadUrl === undefined) throw new Error('a payload of the tests is one PUT');
    const { ok, status } = await fetch(put.uploadUrl, {
      method: 'PUT',
      headers: Object.fromEntries(
        Object.entries(put.headers ?? {}).filter(([name]) => !/^content-length$/i.test(name)),
      ),
      body: new Uint8Array(payload),
    });
    if (!ok) throw new Error(`the PUT answered ${status}`);
    return put.payloadRef;
  };
  const lab: ImportLab = {
    pawl,
    sql,
    sfn,
    call,
    async submit(payload, input, contentType = 'text/csv') {
      const payloadRef = await upload(payload, contentType);
      const body = { type: 'batch-import', input, payloadRef };
      return ((await json('/jobs', { method: 'POST', body })) as ImportJob).jobId;
    },
    job: async (jobId) => (await json(`/jobs/${jobId}`)) as ImportJob,
    settled: (jobId) =>
      waitFor(
        async () => {
          const job = await lab.job(jobId);
          return /^(PENDING|RUNNING)$/.test(job.status) ? undefined : job;
        },
        settledMs,
        `job ${jobId} to be final`,
      ),
    run: async (payload, input, contentType) =>
      await lab.settled(await lab.submit(Buffer.from(payload), input, contentType)),
    async errors(jobId) {
      const response = await call(`/jobs/${jobId}/errors`);
      if (!response.ok) throw new Error(`the errors file answered ${response.status}`);
      const lines = (await response.text()).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line));
    },
    rows: async (dataset) => {
      const rows = await sql<{ data: Record<string, unknown> }[]>`
        select data from imported_rows where dataset = ${dataset} order by key`;
      return rows.map(({ data }) => data);
    },
  };
  return lab;
}
