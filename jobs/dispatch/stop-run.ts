import type { Envelope } from '../envelope.ts';
import type { DispatchWork } from './run-context.ts';
import { close } from './start-run.ts';

/**
 * JobStopRequested: stops the execution of a CANCELLED or EXPIRED job. Where that was redriven meanwhile, the
 * message is of an older run and changes nothing.
 */
export async function stopRun(
  work: DispatchWork,
  envelope: Envelope<'JobStopRequested'>,
): Promise<string> {
  const { executionName, redriveCount, status } = envelope.payload;
  const { run } = work;
  if (
    run.status !== status ||
    run.executionName !== executionName ||
    run.redriveCount !== redriveCount
  ) {
    return await close(work, `not stopped: the job is ${run.status}`);
  }
  await work.executions.stop(
    work.executions.arnOf(run.type, executionName),
    status,
    'the job was stopped',
  );
  return await close(work, 'stopped');
}
