import { Terminal } from '../jobs/failure.ts';
import type { JobId } from '../jobs/ids.ts';
import { errorsKeyOf } from '../jobs/payload-key.ts';
import type { PayloadReference } from '../jobs/payload-reference.ts';
import {
  countImport,
  findImportPlan,
  type ImportCounts,
  importProblems,
  type RowProblem,
  showImportProgress,
} from '../jobs/store/imports.ts';
import { writeLines } from '../jobs/write-object.ts';
import { inputSchema } from '../statemachines/batch-import/job-type.ts';
import { defineTask, type TaskContext } from './runtime/define-task.ts';
import { inputReader } from './runtime/job-input.ts';

const inputOf = inputReader(inputSchema);
/** 18.4 % of 375 rows is 68.99999999999999 in doubles; the product is at most 10^8 here. */
const roundingError = 1e-6;

/**
 * Adds up the chunks and writes what was wrong with which line to S3, as JSON Lines.
 * Throws Terminal TOO_MANY_ROWS_FAILED past the tolerated share; what was imported stays imported.
 */
export const handler = defineTask('collect-import', async (context) => {
  const { job, fence, sql } = context;
  const { toleratedFailurePercentage = 0 } = inputOf(job);
  await showImportProgress(sql, fence);
  const counts = await countImport(sql, fence);
  const plan = await findImportPlan(sql, fence);
  if (plan?.chunks !== counts.chunks || plan.rows !== counts.total) {
    throw new Terminal(
      'TASK_FAULT',
      `planned were ${plan?.rows} rows in ${plan?.chunks} chunks, done are ${counts.total} in ${counts.chunks}`,
    );
  }
  const { total, imported, failed } = counts;
  if (failed === 0) return { result: { total, imported, failed } };
  const errorsRef = await writeErrors(context);
  if (failed * 100 > toleratedFailurePercentage * total + roundingError) {
    throw tooManyFailed(job.jobId, counts, toleratedFailurePercentage);
  }
  return { result: { total, imported, failed, errorsRef } };
});

const writeErrors = ({ s3, sql, job, fence, config }: TaskContext): Promise<PayloadReference> =>
  writeLines(
    s3,
    {
      bucket: config.payloadBucket,
      key: errorsKeyOf(job, fence.executionName),
      contentType: 'application/x-ndjson',
    },
    asLines(importProblems(sql, fence)),
  );

async function* asLines(problems: AsyncIterable<RowProblem>): AsyncGenerator<string> {
  for await (const problem of problems) yield JSON.stringify(problem);
}

const tooManyFailed = (
  jobId: JobId,
  { total, failed, imported }: ImportCounts,
  toleratedPercentage: number,
): Terminal =>
  new Terminal(
    'TOO_MANY_ROWS_FAILED',
    `${failed} of ${total} rows failed, tolerated are ${toleratedPercentage} %; the other ${imported} are imported. Which and why: GET /jobs/${jobId}/errors`,
  );
