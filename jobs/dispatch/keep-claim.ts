import type { Logger } from 'pino';
import type { Executions } from '../executions.ts';
import { Transient } from '../failure.ts';
import { claimLeaseMs, claimRenewalMs, longestCallMs } from '../step-functions-calls.ts';
import type { Sql } from '../store/connect.ts';
import { type InboxClaim, renewClaim } from '../store/inbox.ts';

/** How long a claim lasts, how often it is renewed, and how much of it must be left to call Step Functions. */
export type ClaimPace = {
  readonly leaseMs: number;
  readonly renewalMs: number;
  readonly callMs: number;
};

export const claimPace: ClaimPace = {
  leaseMs: claimLeaseMs,
  renewalMs: claimRenewalMs,
  callMs: longestCallMs,
};

type Options = {
  readonly sql: Sql;
  readonly claim: InboxClaim;
  /** By `performance.now()`, from before the claim was asked for. */
  readonly claimedAt: number;
  readonly pace: ClaimPace;
  readonly log: Logger;
};

export type KeptClaim = {
  /** The same, but each call waits for the certainty that nobody else can have the message before it has ended. */
  readonly guard: (executions: Executions) => Executions;
  /** Ends the renewals; may be called twice. */
  readonly release: () => void;
};

/**
 * Renews the lease on a message while it is worked on, however long that takes. Where it is lost all the same (the
 * process was stopped for a while, the database was away), Step Functions is not called any more: whoever has the
 * message now does that.
 */
export function keepClaim({ sql, claim, claimedAt, pace, log }: Options): KeptClaim {
  let heldUntil = claimedAt + pace.leaseMs;

  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    heldUntil = (await renewClaim(sql, claim, pace.leaseMs)) ? askedAt + pace.leaseMs : 0;
  };
  const assertHeld = async (): Promise<void> => {
    const suffices = (): boolean => performance.now() + pace.callMs <= heldUntil;
    if (suffices()) return;
    await renew();
    if (suffices()) return;
    throw new Transient('DATABASE_CONFLICT', 'another delivery has taken the message meanwhile');
  };
  const timer = setInterval(() => {
    renew().catch((error: unknown) => log.warn({ err: error }, 'a message’s lease not renewed'));
  }, pace.renewalMs);
  timer.unref();
  return {
    guard: (executions) => guarded(executions, assertHeld),
    release: () => clearInterval(timer),
  };
}

const guarded = (executions: Executions, assertHeld: () => Promise<void>): Executions => ({
  arnOf: (type, executionName) => executions.arnOf(type, executionName),
  async start(...asked) {
    await assertHeld();
    return await executions.start(...asked);
  },
  async describe(...asked) {
    await assertHeld();
    return await executions.describe(...asked);
  },
  async redrive(...asked) {
    await assertHeld();
    return await executions.redrive(...asked);
  },
  async stop(...asked) {
    await assertHeld();
    return await executions.stop(...asked);
  },
  async succeedTask(...asked) {
    await assertHeld();
    return await executions.succeedTask(...asked);
  },
});
