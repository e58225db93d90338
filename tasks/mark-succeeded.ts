import { Type } from 'typebox';
import { Terminal } from '../jobs/failure.ts';
import { finishJob, succeededUnder } from '../jobs/store/finish-job.ts';
import { defineFinishingTask } from './runtime/define-task.ts';

/**
 * Writes the job's result and SUCCEEDED: the last state of every machine. Repeated under the same execution and
 * redrive count it is a success again, because the first answer may have been lost.
 */
export const handler = defineFinishingTask(
  'mark-succeeded',
  async ({ sql, fence }, { result }) => {
    const finished = await finishJob(
      sql,
      fence,
      { status: 'SUCCEEDED', result },
      'task mark-succeeded',
    );
    if (finished === undefined && !(await succeededUnder(sql, fence))) {
      throw new Terminal(
        'JOB_NOT_RUNNABLE',
        `the job is not open under execution ${fence.executionName}, redrive ${fence.redriveCount}`,
      );
    }
    return {};
  },
  Type.Object({ result: Type.Unknown() }),
);
