import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Logger } from 'pino';
import { classifyingS3 } from './classify.ts';
import type { RetentionConfig } from './config.ts';
import type { Sql } from './store/connect.ts';
import {
  findOldJobs,
  type OldJob,
  removeAudit,
  removeDealtWith,
  removeEffects,
  removeEventInbox,
  removeInbox,
  removeJobs,
} from './store/remove-old.ts';

export type RetentionDeps = {
  readonly sql: Sql;
  readonly s3: S3Client;
  readonly policy: RetentionConfig;
  readonly log: Logger;
};

/** Small enough that a batch holds its locks for milliseconds, and that vacuum keeps up. */
const jobsPerBatch = 200;
const rowsPerBatch = 1_000;

/**
 * Removes one batch of everything that is older than it is to be kept; jobs are archived first. Gives whether there is
 * more. Several workers may do it at the same time.
 */
export async function removeOldBatch(deps: RetentionDeps): Promise<boolean> {
  const { sql, policy, log } = deps;
  const { jobDays, effectDays, auditDays } = policy;
  // While the archive cannot be reached jobs stay, but the rest must not grow.
  const [ofJobs] = await Promise.allSettled([jobDays === 0 ? 0 : removeOldJobs(deps)]);
  const inbox = jobDays === 0 ? 0 : await removeInbox(sql, jobDays, rowsPerBatch);
  const events = jobDays === 0 ? 0 : await removeEventInbox(sql, jobDays, rowsPerBatch);
  const dealtWith = jobDays === 0 ? 0 : await removeDealtWith(sql, jobDays, rowsPerBatch);
  const effects = effectDays === 0 ? 0 : await removeEffects(sql, effectDays, rowsPerBatch);
  const audit = auditDays === 0 ? 0 : await removeAudit(sql, auditDays, rowsPerBatch);
  const jobs = ofJobs.status === 'fulfilled' ? ofJobs.value : 0;
  const removed = { jobs, inbox, events, effects, dealtWith, audit };
  const counts = [inbox, events, effects, dealtWith, audit];
  if (counts.some((count) => count > 0) || jobs > 0) log.info(removed, 'old rows removed');
  if (ofJobs.status === 'rejected') throw ofJobs.reason;
  return jobs === jobsPerBatch || counts.includes(rowsPerBatch);
}

async function removeOldJobs({ sql, s3, policy, log }: RetentionDeps): Promise<number> {
  const { jobDays, archiveBucket } = policy;
  const jobs = await findOldJobs(sql, jobDays, jobsPerBatch);
  if (jobs.length === 0) return 0;
  if (archiveBucket !== undefined) {
    try {
      await archive(s3, archiveBucket, jobs);
    } catch (error) {
      log.error({ archiveBucket, jobs: jobs.length }, 'old jobs were not archived, and stay');
      throw error;
    }
  }
  const ids = jobs.map(({ jobId }) => jobId);
  return await removeJobs(sql, ids, jobDays);
}

/**
 * Writes the jobs to `jobs/<day>/<first job id>.jsonl`, a line each `{job, events, effects, callbacks}`, before they are
 * removed. A crash in between writes them again: the same name where the batch begins with the same job, else a job stands in two
 * files.
 */
async function archive(s3: S3Client, bucket: string, jobs: readonly OldJob[]): Promise<void> {
  const [first] = jobs;
  if (first === undefined) return;
  const day = first.createdAt.toISOString().slice(0, 10).replaceAll('-', '/');
  const Body = jobs.map(({ line }) => `${JSON.stringify(line)}\n`).join('');
  const object = {
    Bucket: bucket,
    Key: `jobs/${day}/${first.jobId}.jsonl`,
    Body,
    ContentType: 'application/x-ndjson',
  };
  await classifyingS3(() => s3.send(new PutObjectCommand(object)));
}
