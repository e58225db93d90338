import type { Job, JobEvent } from '../client/pawl-client.ts';
import { createProgressBar } from './progress-bar.ts';

export const showJson = (value: unknown): void => console.log(JSON.stringify(value));

/** A job in a few lines. */
export function showJob(job: Job): void {
  console.log(`${job.jobId}  ${job.type}  ${job.status}  run ${job.run}`);
  const times = [`created ${job.createdAt}`];
  if (job.startedAt !== null) times.push(`started ${job.startedAt}`);
  if (job.finishedAt !== null) times.push(`finished ${job.finishedAt}`);
  console.log(`  ${times.join(', ')}`);
  if (job.failure !== null) {
    const { code, message, state, retryable } = job.failure;
    const where = state === null ? '' : ` in ${state}`;
    console.log(`  ${code}${where}: ${message}${retryable ? ' (a redrive may help)' : ''}`);
    console.log(`  → what it means and what to do: pawl failure ${code}`);
  }
  if (job.links.errors !== undefined)
    console.log(`  rows that failed: ${job.links.errors} (pawl errors ${job.jobId})`);
  if (job.result !== null)
    console.log(`  result ${JSON.stringify(job.result, null, 2).replaceAll('\n', '\n  ')}`);
}

const bar = createProgressBar(process.stdout);

/** A line for each arrow; progress as a bar. */
export function showEvent(event: JobEvent): void {
  if (event.event === 'status') {
    bar.end();
    console.log(`${event.at}  ${event.status}${event.run > 1 ? `  run ${event.run}` : ''}`);
    return;
  }
  const { done, total, failed } = event;
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  if (total === null || total === 0) console.log(`${done} done${failures}`);
  else bar.show(done, total, `${done} of ${total}${failures}`);
}
