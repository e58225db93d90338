import { canonicalHash } from './canonical-json.ts';
import { databaseVerdict } from './classify.ts';
import { crashPoint } from './crash-point.ts';
import { newEnvelope } from './envelope.ts';
import { executionNameOf, newJobId, type TenantId } from './ids.ts';
import type { PayloadReference } from './payload-reference.ts';
import type { Sql } from './store/connect.ts';
import { giveBackOpenJobPlace, takeOpenJobPlace } from './store/open-job-places.ts';
import type { OutboxRow } from './store/outbox.ts';
import {
  findObstacle,
  type InsertedJob,
  insertJobs,
  type NewJob,
  type StoredJob,
} from './store/submit-job.ts';

/** A job as a client asks for it: the body of POST /jobs, found to have the right shape. */
export type JobRequest = {
  readonly type: string;
  readonly input?: unknown;
  readonly payloadRef?: PayloadReference;
  readonly notBefore?: string;
  readonly expiresAt?: string;
  readonly callback?: { readonly url: string };
  readonly tags?: Readonly<Record<string, string>>;
  readonly orderingKey?: string;
  readonly uniqueKey?: string;
};

/** Who asks, and what belongs to this one request. */
export type Submission = {
  readonly tenantId: TenantId;
  readonly actor: string;
  readonly idempotencyKey: string | null;
  readonly correlationId: string;
  readonly traceparent: string | null;
  /** The job type's setting; matters for a job with an ordering key. */
  readonly failureBlocksKey: boolean;
  /** The job type's setting: until when the job may be cancelled or expire. Default: until it is final. */
  readonly stoppable?: 'until-final' | 'until-started';
  /** How many open jobs the tenant may have; null: any number. */
  readonly maxOpenJobs: number | null;
};

export type SubmitOutcome =
  /** `row` is to be handed to the relay; undefined where the job is not due yet, or waits for its turn. */
  | { readonly kind: 'accepted'; readonly job: StoredJob; readonly row: OutboxRow | undefined }
  | { readonly kind: 'replayed'; readonly job: StoredJob }
  | { readonly kind: 'other-request'; readonly job: StoredJob }
  | { readonly kind: 'unique-key-taken'; readonly job: StoredJob }
  | Refusal;

type Refusal =
  | { readonly kind: 'expired-already' }
  | { readonly kind: 'quota-reached'; readonly maxOpenJobs: number };

/** Stores one job; gives undefined where another one keeps it out. */
export type InsertJob = (job: NewJob) => Promise<InsertedJob | undefined>;

/** Inserts a job by itself, on a pool or in a transaction. */
export const insertAlone =
  (sql: Sql): InsertJob =>
  async (job) =>
    (await insertJobs(sql, [job]))[0];

/** An obstacle may be gone when it is looked for: its job was finished in between. Then the insert is tried again. */
const maxTries = 5;

/**
 * Makes one job of all submits with the same idempotency key. The same key with another request is told apart by
 * the request's canonical hash, whatever became of the first job. Writes nothing unless the outcome is 'accepted'.
 * `insertJob` may put it into one statement with others (insert-together.ts).
 */
export async function submitJob(
  sql: Sql,
  request: JobRequest,
  submission: Submission,
  now: Date,
  insertJob: InsertJob = insertAlone(sql),
): Promise<SubmitOutcome> {
  const job = newJob(request, submission, now);
  const refusal = await refusalOf(sql, job, submission.maxOpenJobs, now);
  if (refusal !== undefined) {
    // A repeated request is answered as the first one was, also when there would be no room or time for it now.
    const found = await findObstacle(sql, { ...job, uniqueKey: null });
    return found === undefined ? refusal : replayOrRefuse(found, job);
  }
  for (let tries = 0; tries < maxTries; tries += 1) {
    crashPoint('before-submit-commit');
    const stored = await insertOnceMore(insertJob, job);
    crashPoint('after-submit-commit');
    if (stored !== undefined) {
      const { type, requestHash } = job;
      return accepted({ ...stored, type, status: 'PENDING', requestHash }, job);
    }
    const obstacle = await findObstacle(sql, job);
    // Stored by a try whose answer was lost. Whether it waits for its turn is not known: the sweep sees to it.
    if (obstacle?.by === 'job-id') return accepted({ ...obstacle, waits: true }, job);
    if (obstacle !== undefined && submission.maxOpenJobs !== null) {
      await giveBackOpenJobPlace(sql, job.jobId);
    }
    if (obstacle?.by === 'idempotency-key') return replayOrRefuse(obstacle, job);
    if (obstacle?.by === 'unique-key') return { kind: 'unique-key-taken', job: obstacle };
  }
  throw new Error(`the job was kept out ${maxTries} times by jobs that were gone when looked for`);
}

/** What keeps a new job out; else it has taken its place among the tenant's open jobs, where these are limited. */
async function refusalOf(
  sql: Sql,
  job: NewJob,
  maxOpenJobs: number | null,
  now: Date,
): Promise<Refusal | undefined> {
  if (job.expiresAt !== null && job.expiresAt <= now) return { kind: 'expired-already' };
  if (maxOpenJobs === null || (await takeOpenJobPlace(sql, job, maxOpenJobs))) return undefined;
  return { kind: 'quota-reached', maxOpenJobs };
}

/**
 * The insert, and once more where the connection broke: a pool's connections are all dead after the database was
 * restarted. The first may have been stored nevertheless; the second then meets its own job id.
 */
async function insertOnceMore(insertJob: InsertJob, job: NewJob): Promise<InsertedJob | undefined> {
  try {
    return await insertJob(job);
  } catch (error) {
    if (databaseVerdict(error)?.code !== 'DATABASE_UNAVAILABLE') throw error;
    return await insertJob(job);
  }
}

function newJob(request: JobRequest, submission: Submission, now: Date): NewJob {
  const jobId = newJobId();
  const executionName = executionNameOf(jobId, 1);
  const { tenantId, correlationId } = submission;
  return {
    ...submission,
    jobId,
    executionName,
    type: request.type,
    input: inputOf(request),
    payloadRef: request.payloadRef ?? null,
    requestHash: canonicalHash(request),
    tags: request.tags ?? {},
    orderingKey: request.orderingKey ?? null,
    stoppable: submission.stoppable ?? 'until-final',
    uniqueKey: request.uniqueKey ?? null,
    callbackUrl: request.callback?.url ?? null,
    notBefore: dueLater(request.notBefore, now),
    expiresAt: request.expiresAt === undefined ? null : new Date(request.expiresAt),
    message: newEnvelope({
      messageType: 'JobRequested',
      payload: { jobId, tenantId, type: request.type, run: 1, executionName, redriveCount: 0 },
      idempotencyKey: `start:${executionName}:0`,
      producer: 'api',
      correlationId,
      occurredAt: now,
      attemptPolicy: {
        notBefore: request.notBefore ?? null,
        retryableUntil: request.expiresAt ?? null,
      },
    }),
  };
}

/** What the job is given: nothing said is {}, and null is null. */
export const inputOf = (request: JobRequest): unknown =>
  request.input === undefined ? {} : request.input;

/** A time that has come already asks for nothing. */
function dueLater(notBefore: string | undefined, now: Date): Date | null {
  if (notBefore === undefined) return null;
  const due = new Date(notBefore);
  return due > now ? due : null;
}

function accepted(
  { waits, ...stored }: StoredJob & Pick<InsertedJob, 'waits'>,
  job: NewJob,
): SubmitOutcome {
  const { message, tenantId, traceparent, notBefore } = job;
  if (notBefore !== null || waits) return { kind: 'accepted', job: stored, row: undefined };
  const row: OutboxRow = {
    messageId: message.messageId,
    tenantId,
    destination: 'job-requests',
    envelope: message,
    traceparent,
    attempts: 1,
  };
  return { kind: 'accepted', job: stored, row };
}

const replayOrRefuse = (found: StoredJob, job: NewJob): SubmitOutcome =>
  found.requestHash === job.requestHash
    ? { kind: 'replayed', job: found }
    : { kind: 'other-request', job: found };
