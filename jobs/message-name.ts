import { type JobId, jobIdOfExecutionName, parseJobId } from './ids.ts';
import { jsonObject } from './json-object.ts';

/** Which job, and which request of it, a message is about. An execution's event has no idempotency key. */
export type MessageName = { readonly jobId: JobId; readonly idempotencyKey: string | null };

/**
 * Reads it from a message's body, also of one that nobody can work on: by the fields every version of the envelope has,
 * or by the execution's name in an event. Gives undefined where the body tells nothing.
 */
export function messageNameOf(body: string): MessageName | undefined {
  const message = jsonObject(body);
  const { aggregateId, idempotencyKey, detail } = message ?? {};
  if (typeof aggregateId === 'string') {
    const jobId = parseJobId(aggregateId);
    const key = typeof idempotencyKey === 'string' ? idempotencyKey : null;
    return jobId === undefined ? undefined : { jobId, idempotencyKey: key };
  }
  const name: unknown =
    typeof detail === 'object' && detail !== null && 'name' in detail ? detail.name : undefined;
  const jobId = typeof name === 'string' ? jobIdOfExecutionName(name) : undefined;
  return jobId === undefined ? undefined : { jobId, idempotencyKey: null };
}
