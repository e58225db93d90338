import { defineTask } from '../../../../../tasks/runtime/define-task.ts';

export const handler = defineTask('say-hello', async ({ job }) => ({
  greeting: `Hello, ${JSON.stringify(job.input)}`,
}));
