import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

declare const brand: unique symbol;
type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };

/** A job, and the name of its first execution: uuidv7, lower case. */
export type JobId = Branded<string, 'JobId'>;
/** `[a-z0-9][a-z0-9-]{0,62}`: part of S3 keys and of domain keys. */
export type TenantId = Branded<string, 'TenantId'>;
export type EffectId = Branded<string, 'EffectId'>;
/** The id of an outbox row and of the envelope it carries. */
export type MessageId = Branded<string, 'MessageId'>;
/** What a provider's answer is addressed to: 32 random bytes in base64url, so that nobody can guess one. */
export type CallbackId = Branded<string, 'CallbackId'>;

const newUuid = createUuids();

export const newJobId = (): JobId => newUuid() as JobId;
export const newEffectId = (): EffectId => newUuid() as EffectId;
export const newMessageId = (): MessageId => newUuid() as MessageId;
export const newCallbackId = (): CallbackId => randomBytes(32).toString('base64url') as CallbackId;

/**
 * Makes uuidv7, each after the one before (RFC 9562, section 6.2, method 1), as uuid's v7() does without options. That asks for 16
 * random bytes each time, which takes more than all the rest: 5 to 9 µs under load. Here they are taken from a store.
 */
function createUuids(): () => string {
  const store = Buffer.alloc(16 * 256);
  let taken = store.length;
  let last = { msecs: 0, seq: 0 };
  return () => {
    if (taken === store.length) {
      randomFillSync(store);
      taken = 0;
    }
    const random = store.subarray(taken, taken + 16);
    taken += 16;
    const now = Date.now();
    last =
      now > last.msecs
        ? { msecs: now, seq: random.readUInt32BE(6) >>> 1 }
        : { msecs: last.msecs, seq: last.seq + 1 };
    return v7({ random, ...last });
  };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const tenant = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The job id in `text`, or undefined where it cannot be one. */
export const parseJobId = (text: string): JobId | undefined =>
  uuid.test(text) ? (text as JobId) : undefined;

/** The effect id in `text`, or undefined where it cannot be one. */
export const parseEffectId = (text: string): EffectId | undefined =>
  uuid.test(text) ? (text as EffectId) : undefined;

/** The callback id in `text`, or undefined where it cannot be one. */
export const parseCallbackId = (text: string): CallbackId | undefined =>
  /^[A-Za-z0-9_-]{43}$/.test(text) ? (text as CallbackId) : undefined;

/** The tenant id in `text`, or undefined where it cannot be one. */

export const parseTenantId = (text: string): TenantId | undefined =>
  tenant.test(text) ? (text as TenantId) : undefined;

/**
 * The name of a job's execution: the job id for the first, `<jobId>-r<run>` after a restart.
 * At most 80 characters of `[0-9a-z-]`, as StartExecution wants
 * (https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html).
 */
export const executionNameOf = (jobId: JobId, run: number): string =>
  run === 1 ? jobId : `${jobId}-r${run}`;

/** The job that an execution's name belongs to, or undefined where it is none of ours. */
export const jobIdOfExecutionName = (name: string): JobId | undefined =>
  parseJobId(name.replace(/-r\d+$/, ''));
