import type { FastifyRequest } from 'fastify';
import type { RequestFault } from '../jobs/check-request.ts';
import { maxInputBytes } from '../jobs/check-request.ts';
import { type JobRequest, type Submission, submitJob, type SubmitOutcome } from '../jobs/submit.ts';
import { retryingDeadlocks } from '../jobs/store/retry-deadlock.ts';
import type { StoredJob } from '../jobs/store/submit-job.ts';
import type { RouteDeps } from './api.ts';
import { actorOf, callerOf, tenantOf } from './authenticate.ts';
import { Problem, quotaExceeded } from './problems.ts';
import { linksOf } from './represent-job.ts';
import { traceparentOf } from './trace-requests.ts';

export type Submitted = { readonly job: StoredJob; readonly replayed: boolean };

/** Submits one job for the caller and hands its message to the relay. Throws the Problem that stands against it. */
export async function submitRequest(
  deps: RouteDeps,
  request: FastifyRequest,
  jobRequest: JobRequest,
  idempotencyKey: string | null,
): Promise<Submitted> {
  const submission = prepareSubmission(deps, request, jobRequest, idempotencyKey);
  // With an atomic batch that has more than one of its keys it can meet in a circle.
  const outcome = await retryingDeadlocks(() =>
    submitJob(deps.sql, jobRequest, submission, deps.clock(), deps.insertJob),
  );
  const submitted = readOutcome(outcome);
  publish(deps, outcome);
  return submitted;
}

/** Who asks for what, if it can be a job of its type; else throws the Problem. Asks the database nothing. */
export function prepareSubmission(
  deps: RouteDeps,
  request: FastifyRequest,
  jobRequest: JobRequest,
  idempotencyKey: string | null,
): Submission {
  const tenantId = tenantOf(request);
  const fault = deps.checkRequest(jobRequest, tenantId);
  if (fault !== undefined) throw problemOfFault(fault);
  return {
    tenantId,
    actor: actorOf(request),
    idempotencyKey,
    correlationId: request.id,
    traceparent: traceparentOf(request),
    failureBlocksKey: deps.registry.get(jobRequest.type)?.afterFailure !== 'continue',
    stoppable: deps.registry.get(jobRequest.type)?.stoppable ?? 'until-final',
    maxOpenJobs: callerOf(request).maxOpenJobs,
  };
}

/** To be called when the job is committed, never before. */
export function publish({ relay }: RouteDeps, outcome: SubmitOutcome): void {
  if (outcome.kind === 'accepted' && outcome.row !== undefined) relay.publishSoon(outcome.row);
}

/** The job of an outcome; throws the Problem where there is none. */
export function readOutcome(outcome: SubmitOutcome): Submitted {
  switch (outcome.kind) {
    case 'accepted':
      return { job: outcome.job, replayed: false };
    case 'replayed':
      return { job: outcome.job, replayed: true };
    case 'other-request':
      throw new Problem('idempotency-key-reused', {
        detail: 'the first request with this key was another one; take a new key for a new job',
      });
    case 'unique-key-taken':
      throw new Problem('unique-key-taken', {
        detail: `job ${outcome.job.jobId} is ${outcome.job.status}`,
        jobId: outcome.job.jobId,
        links: linksOf(outcome.job.jobId),
      });
    case 'expired-already':
      throw new Problem('expired-already', { detail: 'expiresAt must lie in the future' });
    case 'quota-reached':
      throw new Problem(
        'open-job-quota',
        {
          type: quotaExceeded,
          'violated-policies': ['open-jobs'],
          detail: `the tenant has ${outcome.maxOpenJobs} open jobs, as many as it may have`,
        },
        { 'retry-after': '10' },
      );
  }
}

function problemOfFault(fault: RequestFault): Problem {
  switch (fault.kind) {
    case 'type-unknown':
      return new Problem('type-unknown', {
        detail: `known are ${fault.known.join(', ')}`,
        knownTypes: fault.known,
      });
    case 'input-too-large':
      return new Problem('input-too-large', {
        detail: `the input has ${fault.bytes} bytes of UTF-8, at most ${maxInputBytes} are taken inline: upload it with POST /uploads and send the payloadRef`,
        uploads: '/uploads',
      });
    case 'payload-too-large':
      return new Problem('payload-too-large', {
        detail: `the payload has ${fault.bytes} bytes, this type takes ${fault.maxBytes}`,
      });
    case 'not-fitting':
      return new Problem('input-invalid', { errors: [...fault.problems] });
  }
}

const keyShape = /^[\x20-\x7e]{1,255}$/;

/**
 * The Idempotency-Key, written bare or as a quoted Structured Field String, as
 * draft-ietf-httpapi-idempotency-key-header has it: both are the same key.
 */
export function idempotencyKeyOf(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  const text = typeof header === 'string' ? header.trim() : '';
  const quoted = /^"(?<inner>(?:[^"\\]|\\["\\])*)"$/.exec(text)?.groups?.['inner'];
  const key = quoted === undefined ? text : quoted.replaceAll(/\\(["\\])/g, '$1');
  if (!keyShape.test(key)) {
    throw new Problem('invalid-idempotency-key', {
      detail: 'one key of 1 to 255 printable ASCII characters is wanted, bare or in double quotes',
    });
  }
  return key;
}
