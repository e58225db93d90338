import { defineTask } from '../../../../../tasks/runtime/define-task.ts';
import { inputReader } from '../../../../../tasks/runtime/job-input.ts';
import { inputSchema } from '../job-type.ts';

const inputOf = inputReader(inputSchema);

export const handler = defineTask('probe-notify', async ({ job, config, callProvider }) => {
  const { key } = inputOf(job);
  const { url, policy } = config.webhook;
  const { replayed } = await callProvider({
    key: `probe:${key}`,
    provider: 'webhook',
    operation: 'probe',
    policy,
    content: { key },
    request: () => ({ method: 'POST', url, headers: {}, body: JSON.stringify({ key }) }),
    lookup: ({ idempotencyKey }) => ({
      method: 'GET',
      url: `${url}?idempotencyKey=${encodeURIComponent(idempotencyKey)}`,
      headers: {},
    }),
  });
  return { replayed };
});
