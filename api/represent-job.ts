import { executionArn } from '../jobs/executions.ts';
import { isFinal, type JobView } from '../jobs/store/find-job.ts';
import type { StoredJob } from '../jobs/store/submit-job.ts';
import type { AcceptedJobBody, JobBody } from './schemas.ts';

export const linksOf = (jobId: string): JobBody['links'] => ({
  self: `/jobs/${jobId}`,
  events: `/jobs/${jobId}/events`,
  result: `/jobs/${jobId}/result`,
  cancel: `/jobs/${jobId}/cancel`,
});

export const representJob = (job: JobView, stateMachineArnPrefix: string): JobBody => ({
  jobId: job.jobId,
  type: job.type,
  status: job.status,
  run: job.run,
  createdAt: job.createdAt.toISOString(),
  startedAt: job.startedAt?.toISOString() ?? null,
  finishedAt: job.finishedAt?.toISOString() ?? null,
  progress: job.progress,
  result: job.result,
  failure: job.failure,
  execution: {
    name: job.executionName,
    arn: arnOf(job, stateMachineArnPrefix),
    redriveCount: job.redriveCount,
  },
  links: {
    ...linksOf(job.jobId),
    ...(job.failure === null ? {} : { failure: `/failures/${job.failure.code}` }),
    ...(listsErrors(job) ? { errors: `/jobs/${job.jobId}/errors` } : {}),
  },
});

/** Whether its tasks have written a list of what was wrong, whichever way the job ended. */
export const listsErrors = ({ result, failure }: Pick<JobView, 'result' | 'failure'>): boolean =>
  failure?.code === 'TOO_MANY_ROWS_FAILED' ||
  (typeof result === 'object' && result !== null && 'errorsRef' in result);

/** A job of which a task has begun has an execution, also in the moment before its start is recorded. */
const arnOf = (
  { executionArn: recorded, startedAt, type, executionName }: JobView,
  prefix: string,
) => recorded ?? (startedAt === null ? null : executionArn(prefix, type, executionName));

export const representAccepted = (job: StoredJob): AcceptedJobBody => ({
  jobId: job.jobId,
  type: job.type,
  status: job.status,
  createdAt: job.createdAt.toISOString(),
  links: linksOf(job.jobId),
});

export const etagOf = (job: Pick<JobView, 'revision'>): string => `"${job.revision}"`;

/** Whether an If-None-Match names the tag; compared weakly, as RFC 9110, section 13.1.2 asks for. */
export const namesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' ||
    ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag));

const longestPauseSeconds = 30;

/**
 * When it is worth asking again, in seconds: not before the job is due, then a tenth of the time it has run so
 * far; undefined for a job that is final.
 */
export function retryAfterSeconds(job: JobView, now: Date): number | undefined {
  if (isFinal(job.status)) return undefined;
  const sinceMs = now.getTime() - (job.startedAt ?? job.createdAt).getTime();
  const dueInMs = (job.notBefore?.getTime() ?? 0) - now.getTime();
  const pauseSeconds = Math.ceil(Math.max(dueInMs, sinceMs / 10) / 1000);
  return Math.min(longestPauseSeconds, Math.max(1, pauseSeconds));
}
