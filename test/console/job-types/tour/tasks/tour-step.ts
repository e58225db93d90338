import { Transient } from '../../../../../jobs/failure.ts';
import { defineTask } from '../../../../../tasks/runtime/define-task.ts';
import { inputReader } from '../../../../../tasks/runtime/job-input.ts';
import { inputSchema } from '../job-type.ts';

const inputOf = inputReader(inputSchema);
const stumbled = new Map<string, number>();

/** Fails as often as the input says; it counts in this process alone. */
export const handler = defineTask('tour-step', async ({ job }) => {
  const soFar = stumbled.get(job.jobId) ?? 0;
  if (soFar < (inputOf(job).stumbles ?? 0)) {
    stumbled.set(job.jobId, soFar + 1);
    throw new Transient('PROVIDER_UNAVAILABLE', `stumbled, ${soFar + 1} so far`);
  }
  return {};
});
