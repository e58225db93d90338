import { setTimeout as delay } from 'node:timers/promises';
import { classify } from './classify.ts';
import { crashPoint } from './crash-point.ts';
import {
  afterCall,
  type CallOutcome,
  decide,
  type Decision,
  type Setup,
} from './effect-decisions.ts';
import { Terminal, Transient, storableText } from './failure.ts';
import type { EffectId } from './ids.ts';
import type { Sql } from './store/connect.ts';
import {
  type Completion,
  type EffectRow,
  holdEffect,
  insertCalling,
  type Intention,
  type Lease,
  readEffect,
  recordCompleted,
  recordNotFound,
  recordSetback,
  takeEffect,
} from './store/effects.ts';

/** One thing that is to happen once at a provider's, whatever runs again: docs/decisions/effect-log.md. */
export type Effect = Omit<Intention, 'effectKey' | 'leaseMs'> & {
  /** From the domain (`document:42:1:indexed`), never from the attempt, so that replays cannot repeat it. */
  readonly key: string;
};

/** What a call may use: it has to end when `signal` says so, and to pass `idempotencyKey` on. */
export type Call = {
  readonly effectId: EffectId;
  /** `<tenantId>/<effect key>`: the same for every call that could repeat this one. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
};

export type LookupOutcome =
  | { readonly kind: 'found'; readonly completion: Completion }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'unknown'; readonly message: string };

/** How to reach the provider; `lookup` is needed where the policy is lookup. */
export type Provider = {
  readonly call: (call: Call) => Promise<CallOutcome>;
  readonly lookup?: (call: Call) => Promise<LookupOutcome>;
};

/** `replayed`: no call was made now, the recorded outcome was enough. */
export type EffectResult = Completion & { readonly replayed: boolean };

export type EffectLogDeps = {
  readonly sql: Sql;
  readonly timing?: EffectTiming;
  /** Gives [0, 1); Math.random where it is left out. */
  readonly random?: () => number;
};

/**
 * The call's timeout ends before the lease does, so that nobody calls under a lease that somebody else may take;
 * a lookup's "not found" counts `settleMs` after the lease. The `Retry` of an effect state spans two leases whatever
 * happens, so it has no jitter of its own: a provider is called or asked again up to `jitterMs` later.
 */
export type EffectTiming = {
  readonly leaseMs: number;
  readonly callTimeoutMs: number;
  readonly settleMs: number;
  readonly jitterMs: number;
};

export const defaultEffectTiming: EffectTiming = {
  leaseMs: 10_000,
  callTimeoutMs: 8_000,
  settleMs: 5_000,
  jitterMs: 2_000,
};

/** The same as the linter of definitions wants it. */
export const effectLogPace = {
  leaseSeconds: defaultEffectTiming.leaseMs / 1000,
  jitterSeconds: defaultEffectTiming.jitterMs / 1000,
};

/**
 * Makes one effect happen: commits the intention, calls the provider outside of any transaction, records the
 * outcome under the lease's token. A completed effect is answered from the log and never called again.
 *
 * Throws Transient EFFECT_IN_PROGRESS, PROVIDER_UNAVAILABLE; Terminal EFFECT_REJECTED, EFFECT_OUTCOME_UNKNOWN,
 * EFFECT_ABANDONED, EFFECT_HASH_MISMATCH, JOB_NOT_RUNNABLE.
 */
export async function withEffect(
  deps: EffectLogDeps,
  effect: Effect,
  provider: Provider,
): Promise<EffectResult> {
  const timing = deps.timing ?? defaultEffectTiming;
  if (/#\d+$/.test(effect.key))
    throw new Error(`effect key ${effect.key} ends like a generation's`);
  if (effect.policy === 'lookup' && provider.lookup === undefined)
    throw new Error(`${effect.provider} cannot be asked: policy lookup needs a lookup`);
  const { key, ...rest } = effect;
  for (let generation = 1; ; generation += 1) {
    const effectKey = generation === 1 ? key : `${key}#${generation}`;
    const intention = { ...rest, effectKey, leaseMs: timing.leaseMs };
    const random = deps.random ?? Math.random;
    const result = await pursue({ sql: deps.sql, timing, random, intention, provider });
    if (result !== 'rejected before') return result;
  }
}

type Pursuit = {
  readonly sql: Sql;
  readonly timing: EffectTiming;
  readonly random: () => number;
  readonly intention: Intention;
  readonly provider: Provider;
};

/** Somebody else changed the row between our look and our step: so often is looked again. */
const maxRounds = 5;

async function pursue(pursuit: Pursuit): Promise<EffectResult | 'rejected before'> {
  const { sql, intention } = pursuit;
  const takenAt = performance.now();
  crashPoint('before-effect-intention');
  const lease = await insertCalling(sql, intention);
  if (lease !== undefined) return await callUnder(pursuit, lease, takenAt);
  for (let round = 0; round < maxRounds; round += 1) {
    const row = await readEffect(sql, intention);
    if (row === undefined) throw notRunnable(intention);
    const decision = decide(row, setupOf(pursuit));
    if (round === 0) await spread(pursuit, decision);
    const result = await step(pursuit, row, decision);
    if (result !== 'changed meanwhile') return result;
  }
  throw inProgress(intention);
}

/** What failed together must not come back together. Should the row change meanwhile, it is not taken as it was seen. */
async function spread({ timing, random }: Pursuit, decision: Decision): Promise<void> {
  if (decision.do === 'call' || decision.do === 'ask') await delay(random() * timing.jitterMs);
}

async function step(
  pursuit: Pursuit,
  row: EffectRow,
  decision: Decision,
): Promise<EffectResult | 'rejected before' | 'changed meanwhile'> {
  const { sql, intention } = pursuit;
  switch (decision.do) {
    case 'answer':
      return { reference: row.providerReference, response: row.response, replayed: true };
    case 'next generation':
      return 'rejected before';
    case 'throw':
      throw decision.error;
    case 'hold': {
      const held = await holdEffect(sql, intention, row, decision.error.message);
      if (held) throw decision.error;
      return 'changed meanwhile';
    }
    case 'ask':
      return await ask(pursuit, row, decision.notFoundCounts);
    case 'call': {
      const takenAt = performance.now();
      const lease = await takeEffect(sql, intention, row);
      return lease === undefined ? 'changed meanwhile' : await callUnder(pursuit, lease, takenAt);
    }
  }
}

const setupOf = ({ intention, timing }: Pursuit): Setup => ({
  effectKey: intention.effectKey,
  fence: intention.fence,
  policy: intention.policy,
  requestHash: intention.requestHash,
  settleMs: timing.settleMs,
});

async function callUnder(pursuit: Pursuit, lease: Lease, takenAt: number): Promise<EffectResult> {
  const { sql, timing, provider, intention } = pursuit;
  crashPoint('after-effect-intention');
  const outcome = await callInTime(pursuit, lease.effectId, takenAt, provider.call);
  crashPoint('after-provider-answer');
  const recordBefore = takenAt + timing.leaseMs;
  if (outcome.kind === 'done') {
    const completion = await insist(
      () => recordCompleted(sql, lease.effectId, outcome.completion),
      recordBefore,
    );
    crashPoint('after-effect-recorded');
    return { ...completion, replayed: false };
  }
  const { setback, error } = afterCall(outcome, setupOf(pursuit));
  const recorded = await insist(() => recordSetback(sql, lease, setback), recordBefore);
  if (recorded) throw error;
  // The token is lost: what counts is what the row says now.
  const row = await readEffect(sql, intention);
  if (row?.status !== 'COMPLETED') throw inProgress(intention);
  return { reference: row.providerReference, response: row.response, replayed: true };
}

/** The call ends, for us, before the lease does: whatever it does with the signal. */
async function callInTime(
  { intention, timing }: Pursuit,
  effectId: EffectId,
  takenAt: number,
  call: (call: Call) => Promise<CallOutcome>,
): Promise<CallOutcome> {
  // Counted from before the lease was asked for; a process that was stopped meanwhile (SIGSTOP) must not call.
  const remainingMs = Math.floor(takenAt + timing.callTimeoutMs - performance.now());
  if (remainingMs <= 0) return { kind: 'not-done', message: 'no time was left of the lease' };
  const signal = AbortSignal.timeout(remainingMs);
  const tooLate = ignoredSignal(remainingMs + (timing.leaseMs - timing.callTimeoutMs) / 2);
  const idempotencyKey = `${intention.tenantId}/${intention.effectKey}`;
  try {
    return await Promise.race([call({ effectId, idempotencyKey, signal }), tooLate.outcome]);
  } catch (error) {
    return { kind: 'unknown', message: error instanceof Error ? error.message : String(error) };
  } finally {
    tooLate.clear();
  }
}

/** For a call that goes on after its signal: what it still brings belongs to nobody. */
function ignoredSignal(afterMs: number): { outcome: Promise<CallOutcome>; clear: () => void } {
  const { promise, resolve } = Promise.withResolvers<CallOutcome>();
  const timer = setTimeout(() => {
    resolve({ kind: 'unknown', message: `no answer within ${Math.round(afterMs)} ms` });
  }, afterMs);
  return { outcome: promise, clear: () => clearTimeout(timer) };
}

async function ask(
  { sql, timing, intention, provider }: Pursuit,
  row: EffectRow,
  notFoundCounts: boolean,
): Promise<EffectResult | 'changed meanwhile'> {
  const answer = await provider.lookup?.({
    effectId: row.effectId,
    idempotencyKey: `${intention.tenantId}/${intention.effectKey}`,
    signal: AbortSignal.timeout(timing.callTimeoutMs),
  });
  if (answer?.kind === 'found') {
    const completion = await recordCompleted(sql, row.effectId, answer.completion);
    return { ...completion, replayed: true };
  }
  if (answer?.kind === 'not-found' && notFoundCounts) {
    await recordNotFound(sql, row);
    return 'changed meanwhile'; // to INTENDED, by us or by somebody as fast
  }
  const why = answer?.kind === 'unknown' ? answer.message : 'it knows nothing of it yet';
  throw new Transient(
    'PROVIDER_UNAVAILABLE',
    `effect ${intention.effectKey}: the provider was asked whether it was done: ${storableText(why, 1024)}`,
  );
}

/**
 * The outcome is known here and nowhere else: a database that is away for a moment must not make it unknown.
 * Tried again until the lease is over.
 */
async function insist<Result>(record: () => Promise<Result>, before: number): Promise<Result> {
  for (;;) {
    try {
      return await record();
    } catch (error) {
      if (!(classify(error) instanceof Transient) || performance.now() >= before) throw error;
      await delay(200);
    }
  }
}

const inProgress = (intention: Intention): Transient =>
  new Transient(
    'EFFECT_IN_PROGRESS',
    `effect ${intention.effectKey} is in the hands of another attempt`,
  );

const notRunnable = ({ fence, effectKey }: Intention): Terminal =>
  new Terminal(
    'JOB_NOT_RUNNABLE',
    `effect ${effectKey}: the job is not RUNNING under execution ${fence.executionName}, redrive ${fence.redriveCount}`,
  );
