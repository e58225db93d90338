import { existsSync } from 'node:fs';
import { Terminal } from '../../../../../jobs/failure.ts';
import { defineTask } from '../../../../../tasks/runtime/define-task.ts';
import { inputReader } from '../../../../../tasks/runtime/job-input.ts';
import { inputSchema } from '../job-type.ts';

const inputOf = inputReader(inputSchema);

export const handler = defineTask('tour-gate', async ({ job, config, callProvider }) => {
  await callProvider({
    key: `tour:${job.jobId}`,
    provider: 'webhook',
    operation: 'tour.announced',
    policy: 'hold',
    content: { tour: job.jobId },
    request: () => ({
      method: 'POST',
      url: config.webhook.url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tour: job.jobId }),
    }),
  });
  const { closedWhile, message = 'the gate is closed' } = inputOf(job);
  if (closedWhile !== undefined && existsSync(closedWhile)) {
    throw new Terminal('EXECUTION_FAILED', message);
  }
  return {};
});
