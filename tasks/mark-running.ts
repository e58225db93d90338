import { defineTask } from './runtime/define-task.ts';

/** Opens the run, which every task does first, and nothing else: so that a job is RUNNING before the real work. */
export const handler = defineTask('mark-running', async () => ({}));
