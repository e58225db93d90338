import { crashPoint } from '../crash-point.ts';
import type { Envelope } from '../envelope.ts';
import { executionFailure } from '../execution-failure.ts';
import type { ExecutionView } from '../executions.ts';
import { failureCodes } from '../failure-codes.ts';
import { Transient } from '../failure.ts';
import { executionNameOf, type JobId } from '../ids.ts';
import { type DispatchWork, failRun } from './run-context.ts';
import { close, expireIfLate, startExecution } from './start-run.ts';
import { correctRedriveCount, recordRestart } from '../store/dispatched-run.ts';
import { finishJob } from '../store/finish-job.ts';

type Message = Envelope<'JobRedriveRequested'>;

/** JobRedriveRequested: resumes or restarts the run, whichever the mode and Step Functions allow. */
export async function redriveRun(work: DispatchWork, envelope: Message): Promise<string> {
  const { run } = work;
  const { payload } = envelope;
  const restartName = executionNameOf(payload.jobId as JobId, payload.run);
  const waits = run.status === 'PENDING' && run.run === payload.run;
  if (!waits) return await close(work, `not redriven: the job is ${run.status}, run ${run.run}`);
  if (await expireIfLate(work)) return await close(work, 'not redriven: expired');
  // A restart, or a resume that an earlier delivery turned into one: follow the row.
  if (run.executionName === restartName) {
    await waitUntilClosed(work, payload.previousExecutionName);
    return await startExecution(work, payload.jobId, restartName, 0);
  }
  return await resumeRun(work, envelope);
}

async function resumeRun(claimed: DispatchWork, envelope: Message): Promise<string> {
  const { jobId, run, executionName } = envelope.payload;
  const { executions, claim } = claimed;
  const arn = executions.arnOf(claimed.run.type, executionName);
  const isRepeated = claim.attempts > 1;
  const mayBeAhead = claimed.run.redriveCount > 1;
  const seen = isRepeated || mayBeAhead ? await executions.describe(arn) : undefined;
  // A second claim may be of a redrive that was done and not recorded: look before asking again.
  if (isRepeated && seen !== undefined && isRedriven(claimed, seen))
    return await takeOver(claimed, envelope, seen);
  const work = await withinReach(claimed, envelope, seen);
  const { refused } = await executions.redrive(arn, `${jobId}-${run}`);
  const { redriveCount } = work.run;
  if (refused === undefined)
    return await recordResumed(work, jobId, { arn, executionName, redriveCount });
  const view = await executions.describe(arn);
  if (view !== undefined && isRedriven(work, view)) return await takeOver(work, envelope, view);
  if (view?.status === 'RUNNING') {
    await executions.stop(arn, 'REDRIVEN', 'the job is redriven');
    throw new Transient(
      'EXECUTION_STILL_RUNNING',
      'the execution still runs; it is stopped before the redrive',
      { retryAfterSeconds: 2 },
    );
  }
  return await afterRefusal(work, envelope, refused, view);
}

const isRedriven = ({ run }: DispatchWork, view: ExecutionView): boolean =>
  view.redriveCount >= run.redriveCount;

/**
 * The job's count is ahead of what the redrive can reach where an earlier one was cancelled or given up before Step
 * Functions was asked; under it every task would count as old. So it is corrected first, and a redelivery follows the row.
 */
async function withinReach(
  work: DispatchWork,
  envelope: Message,
  seen: ExecutionView | undefined,
): Promise<DispatchWork> {
  const { redriveCount: from } = work.run;
  if (seen === undefined || seen.redriveCount + 1 >= from) return work;
  const to = seen.redriveCount + 1;
  const { jobId, executionName } = envelope.payload;
  if (!(await correctRedriveCount(work.sql, jobId, executionName, { from, to }))) throw movedOn();
  return { ...work, run: { ...work.run, redriveCount: to } };
}

/** By whom is not known, perhaps by another delivery of this message: the next one follows the row. */
const movedOn = (): Transient =>
  new Transient('DATABASE_CONFLICT', 'the job was changed while it was being redriven');

async function recordResumed(
  work: DispatchWork,
  jobId: string,
  execution: { arn: string; executionName: string; redriveCount: number },
): Promise<string> {
  const { arn: executionArn, executionName, redriveCount } = execution;
  const timeoutSeconds = work.timeoutSecondsOf(work.run.type) ?? 3_600;
  const before = await work.recordStarted({
    claim: work.claim,
    jobId,
    executionArn,
    executionName,
    redriveCount,
    timeoutSeconds,
    outcome: 'redriven',
  });
  crashPoint('after-redrive-recorded');
  if (before === 'CANCELLED' || before === 'EXPIRED') {
    await work.executions.stop(executionArn, before, 'the job was stopped');
  }
  return 'redriven';
}

/** The execution has been redriven already: the row takes the count and status that Step Functions shows. */
async function takeOver(
  work: DispatchWork,
  envelope: Message,
  view: ExecutionView,
): Promise<string> {
  const { jobId, executionName } = envelope.payload;
  const { redriveCount } = work.run;
  if (view.redriveCount !== redriveCount) {
    await correctRedriveCount(work.sql, jobId, executionName, {
      from: redriveCount,
      to: view.redriveCount,
    });
  }
  const outcome = await recordResumed(work, jobId, {
    arn: view.arn,
    executionName,
    redriveCount: view.redriveCount,
  });
  if (view.status !== 'RUNNING' && view.status !== 'SUCCEEDED') {
    const fence = { jobId: jobId as JobId, executionName, redriveCount: view.redriveCount };
    await finishJob(
      work.sql,
      fence,
      { status: 'FAILED', failure: executionFailure(view) },
      'dispatcher',
    );
  }
  return outcome;
}

/** Step Functions will not resume it: auto starts anew, resume is FAILED again with AWS's reason. */
async function afterRefusal(
  work: DispatchWork,
  envelope: Message,
  reason: string,
  view: ExecutionView | undefined,
): Promise<string> {
  const { jobId, run, executionName, mode } = envelope.payload;
  const { redriveCount } = work.run;
  if (mode === 'auto') {
    const restartName = executionNameOf(jobId as JobId, run);
    const why = `restarted, because Step Functions refused to resume: ${reason}`;
    const moved = await recordRestart(
      work.sql,
      jobId,
      { executionName, redriveCount },
      restartName,
      why,
    );
    if (!moved) throw movedOn();
    return await startExecution(work, jobId, restartName, 0);
  }
  const { retryable } = failureCodes.REDRIVE_REFUSED;
  const failure = { code: 'REDRIVE_REFUSED', message: reason, retryable, state: null } as const;
  // In one: a delivery that finds the count corrected and the job PENDING would take the old ending for the redrive's.
  await failRun(work, failure, view?.redriveCount ?? 0);
  return await close(work, 'REDRIVE_REFUSED');
}

/** Before a restart the older execution must not run any more. */
async function waitUntilClosed(work: DispatchWork, executionName: string): Promise<void> {
  const arn = work.executions.arnOf(work.run.type, executionName);
  const view = await work.executions.describe(arn);
  if (view?.status !== 'RUNNING') return;
  await work.executions.stop(arn, 'REDRIVEN', 'the job is restarted');
  throw new Transient(
    'EXECUTION_STILL_RUNNING',
    `the execution ${executionName} still runs; it is stopped before the restart`,
    {
      retryAfterSeconds: 2,
    },
  );
}
