import { crashPoint } from '../crash-point.ts';
import type { Envelope } from '../envelope.ts';
import { Terminal } from '../failure.ts';
import { jobOf } from '../envelope.ts';
import { type DispatchWork, isAwaited } from './run-context.ts';
import { requestExpiry } from '../stop.ts';
import type { JobId } from '../ids.ts';
import { closeMessage } from '../store/inbox.ts';
import { findJobState } from '../store/stop-job.ts';

/** JobRequested: starts the execution named by the run. Gives the outcome for the inbox row. */
export async function startRun(
  work: DispatchWork,
  envelope: Envelope<'JobRequested'>,
): Promise<string> {
  const { jobId, executionName, redriveCount } = envelope.payload;
  if (!isAwaited(work)) {
    // A try before this one may have started it, and not have come to recording it.
    if (work.claim.attempts > 1) await stopLeftBehind(work, executionName, work.run.executionName);
    return await close(work, `not started: the job is ${work.run.status}`);
  }
  if (await expireIfLate(work)) return await close(work, 'not started: expired');
  return await startExecution(work, jobId, executionName, redriveCount);
}

/** Starts an execution and records it; stops it again where the job was cancelled in between. */
export async function startExecution(
  work: DispatchWork,
  jobId: string,
  executionName: string,
  redriveCount: number,
): Promise<string> {
  const { type } = work.run;
  const timeoutSeconds = work.timeoutSecondsOf(type);
  if (timeoutSeconds === undefined)
    throw new Terminal('JOB_TYPE_UNKNOWN', `no job type ${type} is registered here`);
  await work.takeStartToken();
  const { arn, already } = await startNamed(work, type, executionName, jobId);
  const outcome = already ? 'already started' : 'started';
  const before = await work.recordStarted({
    claim: work.claim,
    jobId,
    executionArn: arn,
    executionName,
    redriveCount,
    timeoutSeconds,
    outcome,
  });
  crashPoint('after-start-recorded');
  if (before === 'CANCELLED' || before === 'EXPIRED')
    await work.executions.stop(arn, before, 'the job was stopped');
  if (before === undefined) {
    const now = await findJobState(work.sql, jobId as JobId, undefined);
    await stopLeftBehind(work, executionName, now?.executionName);
  }
  return outcome;
}

/**
 * Stops an execution that the job has left behind for another one: cancelled and restarted while it was being started,
 * so that the restart found nothing to stop. One of the same name is left to the redrive that goes on with it.
 */
async function stopLeftBehind(
  work: DispatchWork,
  executionName: string,
  current: string | undefined,
): Promise<void> {
  if (executionName === current) return;
  const arn = work.executions.arnOf(work.run.type, executionName);
  await work.executions.stop(arn, 'REDRIVEN', 'the job has moved on to another execution');
}

async function startNamed(work: DispatchWork, type: string, executionName: string, jobId: string) {
  try {
    return await work.executions.start(type, executionName, jobId);
  } catch (error) {
    if (error instanceof Terminal)
      throw new Terminal('START_REFUSED', error.message, { cause: error });
    throw error;
  }
}

/** Expires a job whose time is over before its execution is started. */
export async function expireIfLate(work: DispatchWork): Promise<boolean> {
  const { expiresInSeconds } = work.run;
  if (expiresInSeconds === null || expiresInSeconds > 0) return false;
  return await expire(work);
}

/** Ends a job whose `expiresAt` has passed; false where it has begun what it alone can undo, and is let go on. */
export async function expire(work: DispatchWork): Promise<boolean> {
  const request = {
    ...jobOf(work.envelope),
    actor: 'dispatcher',
    reason: 'expiresAt has passed',
    producer: 'worker',
  } as const;
  const outcome = await requestExpiry(work.sql, request);
  if (outcome.outcome === 'stopped') work.publishSoon(outcome.row);
  return outcome.outcome !== 'begun';
}

export async function close(work: DispatchWork, outcome: string): Promise<string> {
  await closeMessage(work.sql, work.claim, 'COMPLETED', outcome);
  return outcome;
}
