import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Logger } from 'pino';
import { backoffMs } from './backoff.ts';
import { classify } from './classify.ts';
import { crashPoint } from './crash-point.ts';
import type { Disposition } from './dispatch/dispatch-message.ts';
import type { FailedExecution } from './execution-failure.ts';
import { type Failure, Terminal } from './failure.ts';
import type { Executions } from './executions.ts';
import { failureCodes } from './failure-codes.ts';
import { jobIdOfExecutionName } from './ids.ts';
import type { Sql } from './store/connect.ts';
import { releaseOwner, type Shown } from './store/dispatched-run.ts';
import { finishJob } from './store/finish-job.ts';
import { type Fence, KeyInUse, openRun } from './store/open-run.ts';
import { quarantine, type ReceivedMessage } from './store/quarantine.ts';

export type ExecutionEventDeps = {
  readonly sql: Sql;
  /** Why an execution failed, from its history where its cause does not say; the caller's rate limit is in it. */
  readonly failureOf: (executionArn: string, execution: FailedExecution) => Promise<Failure>;
  readonly executions: Pick<Executions, 'stop'>;
  /** As findShown, for one fence. */
  readonly shownOf: (fence: Fence) => Promise<Shown | undefined>;
  readonly log: Logger;
  readonly random: () => number;
};

const nullable = Type.Union([Type.String(), Type.Null()]);

/** https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html; unknown fields are ignored. */
const statusChange = Type.Object({
  'detail-type': Type.Literal('Step Functions Execution Status Change'),
  detail: Type.Object({
    executionArn: Type.String(),
    name: Type.String(),
    status: Type.Enum([
      'RUNNING',
      'SUCCEEDED',
      'FAILED',
      'TIMED_OUT',
      'ABORTED',
      'PENDING_REDRIVE',
    ]),
    redriveCount: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
    error: Type.Optional(nullable),
    cause: Type.Optional(nullable),
  }),
});
const statusChangeCheck = Compile(statusChange);
type Detail = Type.Static<typeof statusChange>['detail'];

const retry = { firstMs: 1_000, capMs: 60_000 };

/**
 * Applies one status-change event. Events are best effort, may be late, doubled and out of order; the fence in
 * every write makes an old one change nothing.
 */
export async function applyExecutionEvent(
  deps: ExecutionEventDeps,
  message: ReceivedMessage,
): Promise<Disposition> {
  try {
    const detail = parse(message.body);
    const jobId = jobIdOfExecutionName(detail.name);
    // Somebody else's execution on the same bus: the rule's pattern is broad.
    if (jobId === undefined) return { kind: 'done', outcome: 'not one of ours' };
    const fence = { jobId, executionName: detail.name, redriveCount: detail.redriveCount ?? 0 };
    crashPoint('before-execution-event-applied');
    const outcome = await apply(deps, fence, detail);
    crashPoint('after-execution-event-applied');
    deps.log.info(
      { jobId, status: detail.status, redriveCount: fence.redriveCount, outcome },
      'execution event',
    );
    return { kind: 'done', outcome };
  } catch (error) {
    const failure = classify(error);
    if (failure instanceof Terminal) return await setAside(deps, message, failure);
    return later(deps, message, failure.code);
  }
}

const later = (deps: ExecutionEventDeps, message: ReceivedMessage, code: string): Disposition => ({
  kind: 'later',
  seconds: Math.ceil(backoffMs(message.receiveCount, retry, deps.random) / 1_000),
  code,
});

async function setAside(
  deps: ExecutionEventDeps,
  message: ReceivedMessage,
  failure: Terminal,
): Promise<Disposition> {
  try {
    await quarantine(deps.sql, message, failure.code, failure.message);
  } catch (error) {
    return later(deps, message, classify(error).code);
  }
  deps.log.error({ code: failure.code, sqsMessageId: message.sqsMessageId }, 'event quarantined');
  return { kind: 'done', outcome: failure.code };
}

function parse(body: string): Detail {
  let event: unknown;
  try {
    event = JSON.parse(body);
  } catch (cause) {
    throw new Terminal('MESSAGE_MALFORMED', 'the body is not JSON', { cause });
  }
  if (statusChangeCheck.Check(event)) return event.detail;
  throw new Terminal('MESSAGE_MALFORMED', 'not a "Step Functions Execution Status Change" event');
}

async function apply(deps: ExecutionEventDeps, fence: Fence, detail: Detail): Promise<string> {
  switch (detail.status) {
    case 'RUNNING':
    case 'PENDING_REDRIVE':
      return await applyRunning(deps, fence, detail.executionArn);
    case 'SUCCEEDED':
      return await end(deps, fence, lost);
    case 'FAILED':
    case 'TIMED_OUT':
    case 'ABORTED':
      return await end(deps, fence, await deps.failureOf(detail.executionArn, detail));
  }
}

/** An execution that succeeds has run mark-succeeded before; where the job is still open, nobody finished it. */
const lost: Failure = {
  code: 'EXECUTION_LOST',
  message: 'the execution succeeded, but no task of it finished the job',
  retryable: failureCodes.EXECUTION_LOST.retryable,
  state: null,
};

async function applyRunning(
  deps: ExecutionEventDeps,
  fence: Fence,
  executionArn: string,
): Promise<string> {
  const shown = await deps.shownOf(fence);
  if (shown !== undefined) return shown === 'running' ? 'running' : 'old event';
  try {
    await openRun(deps.sql, fence, 'execution event');
    return 'running';
  } catch (error) {
    if (error instanceof KeyInUse) return await stopRefused(deps, executionArn, error);
    if (error instanceof Terminal && error.code === 'JOB_NOT_RUNNABLE') return 'old event';
    throw error;
  }
}

/** Its first task would fail; but it may be that children of a Map go on first, or a wait. The job's failure will say why. */
async function stopRefused(
  { executions, log }: ExecutionEventDeps,
  executionArn: string,
  { code, message }: KeyInUse,
): Promise<string> {
  log.warn({ executionArn, why: message }, 'a redrive from outside is refused');
  await executions.stop(executionArn, code, message);
  return `stopped: ${message}`;
}

async function end(deps: ExecutionEventDeps, fence: Fence, failure: Failure): Promise<string> {
  if ((await deps.shownOf(fence)) === 'ended') return 'already ended';
  const finished = await finishJob(
    deps.sql,
    fence,
    { status: 'FAILED', failure },
    'execution event',
  );
  if (finished !== undefined) return `failed: ${failure.code}`;
  // Closed, and the job had been stopped before: nobody has to look after it any more.
  await releaseOwner(deps.sql, fence);
  return 'already ended';
}
