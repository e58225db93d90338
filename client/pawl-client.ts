import type { AcceptedJob, Job, Operations } from './api-types.ts';
import { callApi, type ClientOptions } from './call-api.ts';
import { JobNotSucceeded } from './errors.ts';
import { type Payload, type UploadOptions, uploadPayload } from './upload-payload.ts';
import { type JobEvent, watchJob } from './watch-job.ts';

export type { AcceptedJob, Job, Operations, Problem } from './api-types.ts';
export type { ClientOptions } from './call-api.ts';
export { JobNotSucceeded, PawlProblem, PawlUnreachable, UploadRefused } from './errors.ts';
export { type PresignedPut, putBytes, type Sending } from './put-bytes.ts';
export { hashPayload, sendParts } from './upload-parts.ts';
export type { Payload, UploadOptions } from './upload-payload.ts';
export type { JobEvent } from './watch-job.ts';

export type JobRequest = Operations['submitJob']['body'];
export type JobFilter = Omit<Operations['listJobs']['query'], 'cursor' | 'limit'>;
export type PayloadRef = Operations['createUpload']['answer']['payloadRef'];

export type SubmitOptions = {
  /** Names the request, so that it makes one job however often it is sent. Default: a random one. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
};
export type WaitOptions = SubmitOptions & {
  /** Called whenever the job has moved on. */
  readonly onProgress?: (job: Job) => void;
};

export type PawlClient = {
  /** Throws PawlProblem where the job is refused. A submit is repeated safely: it always carries a key. */
  submit(request: JobRequest, options?: SubmitOptions): Promise<AcceptedJob>;
  /** Gives the job when it has succeeded; throws JobNotSucceeded when it ended otherwise. */
  submitAndWait(request: JobRequest, options?: WaitOptions): Promise<Job>;
  get(jobId: string): Promise<Job>;
  /** Gives the job when it is final, however it ended. */
  wait(jobId: string, options?: Omit<WaitOptions, 'idempotencyKey'>): Promise<Job>;
  watch(jobId: string, signal?: AbortSignal): AsyncGenerator<JobEvent, void>;
  /** Newest first, page after page as they are asked for. */
  list(filter?: JobFilter): AsyncGenerator<Job, void>;
  result(jobId: string): Promise<unknown>;
  /** The rows that failed, as JSON Lines; for a job that links to such a list. */
  errors(jobId: string): Promise<Uint8Array>;
  cancel(jobId: string, reason?: string): Promise<Operations['cancelJob']['answer']>;
  /** With an operator's key. */
  redrive(
    jobId: string,
    how?: NonNullable<Operations['redriveJob']['body']>,
  ): Promise<Operations['redriveJob']['answer']>;
  upload(payload: Payload, contentType: string, options?: UploadOptions): Promise<PayloadRef>;
};

/** The longest the API holds a request. */
const holdSeconds = 60;

export function createPawlClient(options: ClientOptions): PawlClient {
  const client: PawlClient = {
    async submit(body, { idempotencyKey = crypto.randomUUID(), signal } = {}) {
      const header = {
        'idempotency-key': `"${idempotencyKey.replaceAll(/["\\]/g, String.raw`\$&`)}"`,
      };
      return (await callApi(options, 'submitJob', { header, body, signal })).body;
    },
    async submitAndWait(request, waitOptions = {}) {
      const { jobId } = await client.submit(request, waitOptions);
      const job = await client.wait(jobId, waitOptions);
      if (job.status !== 'SUCCEEDED') throw new JobNotSucceeded(job);
      return job;
    },
    async get(jobId) {
      return (await callApi(options, 'getJob', { path: { jobId } })).body;
    },
    wait: (jobId, { onProgress, signal } = {}) => waitForJob(options, jobId, onProgress, signal),
    watch: (jobId, signal) => watchJob(options, jobId, signal),
    list: (filter = {}) => listJobs(options, filter),
    async result(jobId) {
      const answer = await callApi(options, 'getResult', { path: { jobId } });
      const location = answer.headers.get('location');
      if (answer.status !== 303 || location === null) return answer.body;
      return await download(options, location);
    },
    async errors(jobId) {
      const { headers } = await callApi(options, 'getErrors', { path: { jobId } });
      return await download(options, headers.get('location') ?? '');
    },
    async cancel(jobId, reason) {
      const body = reason === undefined ? {} : { reason };
      return (await callApi(options, 'cancelJob', { path: { jobId }, body })).body;
    },
    async redrive(jobId, how = {}) {
      // Not tried again: the job may have failed once more by then.
      return (await callApi(options, 'redriveJob', { path: { jobId }, body: how, once: true }))
        .body;
    },
    upload: (payload, contentType, how) => uploadPayload(options, payload, contentType, how),
  };
  return client;
}

async function download({ fetch: fetchWith = fetch }: ClientOptions, address: string) {
  return new Uint8Array(await (await fetchWith(address)).arrayBuffer());
}

/** The job as it is, then held requests one after the other: each is answered as soon as the job differs from that. */
async function waitForJob(
  options: ClientOptions,
  jobId: string,
  onProgress?: (job: Job) => void,
  signal?: AbortSignal,
): Promise<Job> {
  let etag: string | undefined;
  for (;;) {
    const answer = await callApi(options, 'getJob', {
      path: { jobId },
      header: etag === undefined ? {} : { prefer: `wait=${holdSeconds}`, 'if-none-match': etag },
      signal,
    });
    etag = answer.headers.get('etag') ?? undefined;
    if (answer.status === 304) continue;
    onProgress?.(answer.body);
    if (answer.body.status !== 'PENDING' && answer.body.status !== 'RUNNING') return answer.body;
  }
}

async function* listJobs(options: ClientOptions, filter: JobFilter): AsyncGenerator<Job, void> {
  let cursor: string | null = null;
  do {
    const query: Operations['listJobs']['query'] = cursor === null ? filter : { ...filter, cursor };
    const { body }: { body: Operations['listJobs']['answer'] } = await callApi(
      options,
      'listJobs',
      { query },
    );
    yield* body.jobs;
    cursor = body.nextCursor;
  } while (cursor !== null);
}
