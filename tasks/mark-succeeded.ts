import { Type } from 'typebox';
import { Terminal } from '../jobs/failure.ts';
import { announceEnd } from '../jobs/store/ended-jobs.ts';
import { findSucceeded, finishJob } from '../jobs/store/finish-job.ts';
import { startSpan } from '../jobs/tracing.ts';
import { defineFinishingTask, spanOf } from './runtime/define-task.ts';

/**
 * Writes the job's result and SUCCEEDED: the last state of every machine. Repeated under the same execution and
 * redrive count it is a success again, because the first answer may have been lost.
 */
export const handler = defineFinishingTask(
  'mark-succeeded',
  async (context, { result }) => {
    const { sql, fence } = context;
    const startedAt = new Date();
    const finished = await finishJob(
      sql,
      fence,
      { status: 'SUCCEEDED', result },
      'task mark-succeeded',
    );
    const job = finished ?? (await findSucceeded(sql, fence));
    if (job === undefined) {
      throw new Terminal(
        'JOB_NOT_RUNNABLE',
        `the job is not open under execution ${fence.executionName}, redrive ${fence.redriveCount}`,
      );
    }
    await announceEnd(sql, job, context.log);
    // Its trace stands in the job's row, which only the finishing statement reads: a read before it would cost each job one.
    startSpan('task mark-succeeded', { ...spanOf(context, job), startedAt }).end();
    return {};
  },
  Type.Object({ result: Type.Unknown() }),
);
