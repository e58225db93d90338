import { existsSync } from 'node:fs';
import { Terminal } from '../../../../../jobs/failure.ts';
import { defineTask } from '../../../../../tasks/runtime/define-task.ts';
import { inputReader } from '../../../../../tasks/runtime/job-input.ts';
import { inputSchema } from '../job-type.ts';

const inputOf = inputReader(inputSchema);

export const handler = defineTask('pass-gate', async ({ job, config, callProvider }) => {
  await callProvider({
    key: `gate:${job.jobId}`,
    provider: 'webhook',
    operation: 'gate.announced',
    policy: 'repeat',
    content: { gate: job.jobId },
    request: () => ({
      method: 'POST',
      url: config.webhook.url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ gate: job.jobId }),
    }),
  });
  if (existsSync(inputOf(job).closedWhile))
    throw new Terminal('EXECUTION_FAILED', 'the gate is closed');
  return {};
});
