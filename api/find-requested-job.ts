import type { FastifyRequest } from 'fastify';
import { type JobId, parseJobId } from '../jobs/ids.ts';
import type { Sql } from '../jobs/store/connect.ts';
import { findJob, type JobView } from '../jobs/store/find-job.ts';
import { scopeOf } from './authenticate.ts';
import { Problem } from './problems.ts';

/** The job id in the address; what cannot be one is a job that does not exist. */
export function requestedJobId(params: { readonly jobId: string }): JobId {
  const jobId = parseJobId(params.jobId);
  if (jobId === undefined) throw jobNotFound();
  return jobId;
}

/** The job in the address, if the caller may see it; else 404, also for another tenant's. */
export async function findRequestedJob(
  sql: Sql,
  request: FastifyRequest & { readonly params: { readonly jobId: string } },
): Promise<JobView> {
  const job = await findJob(sql, requestedJobId(request.params), scopeOf(request));
  if (job === undefined) throw jobNotFound();
  return job;
}

export const jobNotFound = (): Problem => new Problem('job-not-found');
