import { createHash } from 'node:crypto';
import { defineTask } from '../../../../../tasks/runtime/define-task.ts';

/** The hash of what the task was given, and the last 200 characters of it. */
export const handler = defineTask('look-at-input', async ({ job }) => {
  const text = JSON.stringify(job.input);
  return {
    sha256: createHash('sha256').update(text).digest('hex'),
    end: text.slice(-200).toWellFormed(),
  };
});
