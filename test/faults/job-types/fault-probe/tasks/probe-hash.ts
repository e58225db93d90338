import { createHash } from 'node:crypto';
import { defineTask } from '../../../../../tasks/runtime/define-task.ts';
import { inputReader } from '../../../../../tasks/runtime/job-input.ts';
import { inputSchema } from '../job-type.ts';

const inputOf = inputReader(inputSchema);

export const handler = defineTask('probe-hash', async ({ job }) => ({
  sha256: createHash('sha256').update(inputOf(job).text).digest('hex'),
}));
