import { Type } from 'typebox';
import { Terminal } from '../../../../jobs/failure.ts';
import { defineTask } from '../../../../tasks/runtime/define-task.ts';

/** Writes how far the job is, under its fence: the one commit that the application makes in a step. */
export const handler = defineTask(
  'record-step',
  async ({ sql, fence }, { step }) => {
    const written = await sql`
      update jobs set progress = ${sql.json({ done: step, total: 5, failed: 0 })}, revision = revision + 1
      where job_id = ${fence.jobId} and execution_name = ${fence.executionName}
        and redrive_count = ${fence.redriveCount} and status = 'RUNNING'
      returning job_id`;
    if (written.length === 0) throw new Terminal('JOB_NOT_RUNNABLE', 'the job has moved on');
    return {};
  },
  Type.Object({ step: Type.Integer({ minimum: 1, maximum: 5 }) }),
);
