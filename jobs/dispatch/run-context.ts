import type { Logger } from 'pino';
import type { Executions } from '../executions.ts';
import type { OutboxRow } from '../store/outbox.ts';
import type { Envelope } from '../envelope.ts';
import type { ClaimPace } from './keep-claim.ts';
import type { Failure } from '../failure.ts';
import type { JobId } from '../ids.ts';
import type { Sql } from '../store/connect.ts';
import { finishJob } from '../store/finish-job.ts';
import type { DispatchableRun, InboxClaim } from '../store/inbox.ts';
import type { SharedStatements } from './shared-statements.ts';

export type DispatchDeps = SharedStatements & {
  readonly sql: Sql;
  readonly executions: Executions;
  /** How long an execution of this job type may take, seconds; undefined for an unknown type. */
  readonly timeoutSecondsOf: (type: string) => number | undefined;
  /** Waits for a token under the StartExecution quota. */
  readonly takeStartToken: () => Promise<void>;
  readonly publishSoon: (row: OutboxRow) => void;
  readonly log: Logger;
  readonly random: () => number;
  /** Of the lease on a message in hand; left out for what holds in production. */
  readonly claimPace?: ClaimPace;
};

/** A message that the dispatcher has claimed, and its job as it was just before. */
export type DispatchContext = {
  readonly envelope: Envelope;
  readonly claim: InboxClaim;
  readonly run: DispatchableRun;
};

export type DispatchWork = DispatchDeps & DispatchContext;

/** Whether the job still waits for exactly this message: same run and fence, and PENDING. */
export const isAwaited = ({ run, envelope }: DispatchContext): boolean =>
  run.status === 'PENDING' &&
  run.executionName === envelope.payload.executionName &&
  run.redriveCount === envelope.payload.redriveCount;

/**
 * Ends the run as FAILED, because the dispatcher could not start it. One that was started all the same goes on.
 * `shownRedriveCount` is what Step Functions shows where it refused to redrive.
 */
export async function failRun(
  { sql, envelope, run }: DispatchContext & { readonly sql: Sql },
  failure: Failure,
  shownRedriveCount?: number,
): Promise<void> {
  const fence = {
    jobId: envelope.payload.jobId as JobId,
    executionName: run.executionName,
    redriveCount: run.redriveCount,
  };
  const ending = { status: 'FAILED', failure, onlyPending: true } as const;
  const corrected = shownRedriveCount === undefined ? ending : { ...ending, shownRedriveCount };
  await finishJob(sql, fence, corrected, 'dispatcher');
}
