// What the effect log does, as pure functions: the table of docs/decisions/effect-log.md.
import { classify } from './classify.ts';
import type { EffectPolicy } from './config.ts';
import { type JobError, storableText, Terminal, Transient } from './failure.ts';
import type { Completion, EffectRow, ProviderResponse, Setback } from './store/effects.ts';
import type { Fence } from './store/open-run.ts';

/** Who wants the effect, and under which rules. */
export type Setup = {
  readonly effectKey: string;
  readonly fence: Fence;
  readonly policy: EffectPolicy;
  readonly requestHash: string;
  readonly settleMs: number;
};

export type Decision =
  | { readonly do: 'answer' }
  | { readonly do: 'call' }
  /** `notFoundCounts`: the lease is over long enough for the provider to know of whatever was sent. */
  | { readonly do: 'ask'; readonly notFoundCounts: boolean }
  | { readonly do: 'hold'; readonly error: Terminal }
  /** It was refused in an earlier run: this run may try under `<key>#<n>`. */
  | { readonly do: 'next generation' }
  | { readonly do: 'throw'; readonly error: JobError };

/** What an attempt does that finds this row. */
export function decide(row: EffectRow, setup: Setup): Decision {
  const ownRun = isOwnRun(row, setup.fence);
  if (row.status === 'REJECTED' && !ownRun) return { do: 'next generation' };
  if (row.requestHash !== setup.requestHash) {
    return refuse(
      new Terminal(
        'EFFECT_HASH_MISMATCH',
        `${name(setup)} was used before for other content (hash ${row.requestHash}, now ${setup.requestHash})`,
      ),
    );
  }
  switch (row.status) {
    case 'COMPLETED':
      return { do: 'answer' };
    case 'INTENDED':
      return ownRun && (row.retryInMs ?? 0) > 0 ? refuse(tooEarly(row, setup)) : { do: 'call' };
    case 'CALLING':
      return decideCalling(row, setup);
    case 'REJECTED':
      return refuse(
        new Terminal('EFFECT_REJECTED', `${name(setup)}: ${row.lastError ?? 'refused'}`),
      );
    case 'UNKNOWN':
      return refuse(outcomeUnknown(setup, row.lastError ?? 'it was never found out'));
    case 'ABANDONED':
      return refuse(
        new Terminal('EFFECT_ABANDONED', `${name(setup)} was abandoned: it is never called again`),
      );
  }
}

function decideCalling(row: EffectRow, setup: Setup): Decision {
  const leaseOverMs = row.leaseOverMs ?? 0;
  // Its call has ended and said why nothing is known: nobody has it in hand, though the lease still stands.
  const hasEnded = row.lastError !== null;
  if (leaseOverMs < 0 && setup.policy === 'lookup' && hasEnded)
    return { do: 'ask', notFoundCounts: false };
  if (leaseOverMs < 0) {
    return refuse(
      new Transient('EFFECT_IN_PROGRESS', `${name(setup)} is in the hands of another attempt`),
    );
  }
  switch (setup.policy) {
    case 'repeat':
      return { do: 'call' };
    case 'lookup':
      return { do: 'ask', notFoundCounts: leaseOverMs >= setup.settleMs };
    case 'hold':
      return { do: 'hold', error: outcomeUnknown(setup, 'the attempt that called ended silently') };
  }
}

const isOwnRun = (row: EffectRow, fence: Fence): boolean =>
  row.executionName === fence.executionName && row.redriveCount === fence.redriveCount;

const refuse = (error: JobError): Decision => ({ do: 'throw', error });

const name = (setup: Setup): string => `effect ${setup.effectKey}`;

const tooEarly = (row: EffectRow, setup: Setup): Transient =>
  new Transient(
    'PROVIDER_UNAVAILABLE',
    `${name(setup)}: the provider asked to wait; ${Math.ceil((row.retryInMs ?? 0) / 1000)} s of it are left`,
  );

const outcomeUnknown = (setup: Setup, why: string): Terminal =>
  new Terminal(
    'EFFECT_OUTCOME_UNKNOWN',
    `${name(setup)}: ${why}; find out whether the provider did it, resolve the effect, then redrive the job`,
  );

/** How a call ended, as its transport understands it. */
export type CallOutcome =
  | { readonly kind: 'done'; readonly completion: Completion }
  /** Known not to have been done: nothing was sent, or the provider said so. */
  | { readonly kind: 'not-done'; readonly message: string; readonly retryAfterSeconds?: number }
  /** Nothing was sent because of a mistake of our own. */
  | { readonly kind: 'not-tried'; readonly bug: unknown }
  /** Without a response where nobody refused: there is no patience left for the provider. */
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly response: ProviderResponse | null;
    }
  | { readonly kind: 'unknown'; readonly message: string };

/** A provider that asks for more than this is asked again after this. */
const maxRetryAfterSeconds = 3600;

/** What is recorded after a call that is not known to have done it, and what the task throws. */
export function afterCall(
  outcome: Exclude<CallOutcome, { kind: 'done' }>,
  setup: Setup,
): { readonly setback: Setback; readonly error: JobError } {
  if (outcome.kind === 'not-tried') return afterBug(outcome.bug);
  const error = storableText(outcome.message, 1024);
  const message = `${name(setup)}: ${error}`;
  const setback = { error, response: null, retryAfterSeconds: null };
  switch (outcome.kind) {
    case 'not-done': {
      const retryAfterSeconds =
        outcome.retryAfterSeconds === undefined
          ? null
          : Math.min(outcome.retryAfterSeconds, maxRetryAfterSeconds);
      return {
        setback: { ...setback, status: 'INTENDED', retryAfterSeconds },
        error: new Transient('PROVIDER_UNAVAILABLE', message, {
          retryAfterSeconds: retryAfterSeconds ?? undefined,
        }),
      };
    }
    case 'refused':
      return {
        setback: { ...setback, status: 'REJECTED', response: outcome.response },
        error: new Terminal('EFFECT_REJECTED', message),
      };
    case 'unknown':
      return setup.policy === 'hold'
        ? { setback: { ...setback, status: 'UNKNOWN' }, error: outcomeUnknown(setup, error) }
        : {
            setback: { ...setback, status: 'CALLING' },
            error: new Transient('PROVIDER_UNAVAILABLE', message),
          };
  }
}

function afterBug(bug: unknown): { setback: Setback; error: JobError } {
  const error = classify(bug);
  return {
    setback: {
      status: 'INTENDED',
      error: storableText(error.message, 1024),
      response: null,
      retryAfterSeconds: null,
    },
    error,
  };
}
