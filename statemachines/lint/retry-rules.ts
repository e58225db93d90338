import type { LintedMachine, Problem } from './linted-machine.ts';
import {
  type AslObject,
  functionOf,
  isTask,
  memberOf,
  type NamedState,
  numberIn,
  objectsIn,
  textsIn,
  waitsForCallback,
} from './named-states.ts';

/** What may be tried again with nothing changed; the names of ours are the classes in jobs/failure.ts. */
export const transientErrors: readonly string[] = [
  'Transient',
  'States.Timeout',
  'States.HeartbeatTimeout',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.TooManyRequestsException',
  'Lambda.ClientExecutionTimeoutException',
  'Sandbox.Timedout',
];

const knownError = /^(States\.\w+|Lambda\.\w+|Sandbox\.Timedout|Transient|Terminal)$/;
const mostEffectSeconds = 60;

/** Rules about what is retried, how often and how soon. */
export const retryProblems = (machine: LintedMachine): Problem[] =>
  machine.states.flatMap((state) => [
    ...unknownErrors(state),
    ...(isTask(state) && functionOf(state) !== undefined
      ? [...onlyTheTransient(state), ...pace(machine, state), ...effectRetries(machine, state)]
      : []),
  ]);

function unknownErrors({ name, state }: NamedState): Problem[] {
  return [...objectsIn(state, 'Retry'), ...objectsIn(state, 'Catch')]
    .flatMap((each) => textsIn(each, 'ErrorEquals'))
    .filter((error) => !knownError.test(error))
    .map((error) => ({
      rule: 'error-names',
      state: name,
      what: `it names the error ${error}, which nobody throws`,
      why: 'ErrorEquals matches names exactly: this line never does',
      mend: 'tasks throw Transient and Terminal, with a code in the message; the others are States.* and Lambda.*',
    }));
}

function onlyTheTransient({ name, state }: NamedState): Problem[] {
  const retriers = objectsIn(state, 'Retry');
  const named = retriers.flatMap((retrier) => textsIn(retrier, 'ErrorEquals'));
  const wanted = transientErrors.filter((error) => !isAnswer(state, error));
  const missing = wanted.filter((error) => !named.includes(error));
  const more = named.filter((error) => !wanted.includes(error));
  const problem = (what: string, why: string, mend: string): Problem => ({
    rule: 'transient-retry',
    state: name,
    what,
    why,
    mend,
  });
  return [
    ...(missing.length === 0
      ? []
      : [
          problem(
            `its Retry leaves out ${missing.join(', ')}`,
            'what passes by itself would fail the job, and wake somebody',
            'name all transient errors in one retrier, as document-metadata does',
          ),
        ]),
    ...(more.length === 0
      ? []
      : [
          problem(
            `its Retry names ${more.join(', ')}`,
            'what is not transient fails again in the same way: it only costs time, and hides the reason',
            'leave it out: a Terminal error fails the state at once, and can be redriven when it is mended',
          ),
        ]),
  ];
}

/** The silence of somebody who was asked is an answer: a Catch says what it means, and it is not waited for again. */
const isAnswer = (state: AslObject, error: string): boolean =>
  waitsForCallback(state) &&
  /^States\.(Heartbeat)?Timeout$/.test(error) &&
  objectsIn(state, 'Catch').some((catcher) => textsIn(catcher, 'ErrorEquals').includes(error));

function pace(machine: LintedMachine, named: NamedState): Problem[] {
  const { name, state } = named;
  // Full jitter may come to no wait at all; the effect log has a jitter of its own.
  const jitter = machine.callsProvider(named) ? 'NONE' : 'FULL';
  const isPaced = (retrier: AslObject): boolean =>
    (numberIn(retrier, 'MaxAttempts') ?? 0) >= 1 &&
    (numberIn(retrier, 'BackoffRate') ?? 0) > 1 &&
    numberIn(retrier, 'MaxDelaySeconds') !== undefined &&
    // Of a task that is not known it is not known either.
    (machine.taskOf(named) === undefined || memberOf(retrier, 'JitterStrategy') === jitter);
  if (objectsIn(state, 'Retry').every(isPaced)) return [];
  return [
    {
      rule: 'retry-pace',
      state: name,
      what: `its Retry has no cap or backoff, or its jitter is not ${jitter}`,
      why:
        jitter === 'FULL'
          ? 'after an outage all jobs would come back at the same moment and cause the next one'
          : 'with full jitter all waits may come to nothing, and the retries be over before a dead lease is',
      mend: `write MaxAttempts, BackoffRate above 1, MaxDelaySeconds and "JitterStrategy": "${jitter}"`,
    },
  ];
}

function effectRetries(machine: LintedMachine, named: NamedState): Problem[] {
  if (!machine.callsProvider(named)) return [];
  const { name, state } = named;
  const { leaseSeconds, jitterSeconds } = machine.effectLog;
  const { least, most } = retrySpan(state, jitterSeconds);
  const problem = (what: string, why: string, mend: string): Problem => ({
    rule: 'effect-retry',
    state: name,
    what,
    why,
    mend,
  });
  return [
    ...(least >= 2 * leaseSeconds && most <= mostEffectSeconds
      ? []
      : [
          problem(
            `its retries wait ${least} to ${most} s together`,
            `an attempt that dies leaves a lease of ${leaseSeconds} s in the effect log; a provider that is down is left alone soon`,
            `let them add up to ${2 * leaseSeconds} s at least and, with ${jitterSeconds} s of jitter each, to ${mostEffectSeconds} s at most`,
          ),
        ]),
    ...((numberIn(state, 'TimeoutSeconds') ?? Infinity) > leaseSeconds
      ? []
      : [
          problem(
            `its TimeoutSeconds is not longer than the effect log's lease, ${leaseSeconds} s`,
            'the next attempt would meet the live lease of the one that is still calling',
            'lengthen TimeoutSeconds',
          ),
        ]),
  ];
}

/**
 * How long the retries of a state wait together, in seconds, when each of them is used: `least` where all errors are
 * of the retrier that ends soonest and chance adds nothing, `most` where every retrier is used up and chance adds all.
 * `addedSeconds` is what the task itself may wait before it tries again.
 */
export function retrySpan(
  state: AslObject,
  addedSeconds: number,
): { readonly least: number; readonly most: number } {
  const spans = objectsIn(state, 'Retry').map((retrier) => {
    const waits = waitsOf(retrier);
    const seconds = waits.reduce((sum, wait) => sum + wait, 0);
    const isCertain = (memberOf(retrier, 'JitterStrategy') ?? 'NONE') === 'NONE';
    return { least: isCertain ? seconds : 0, most: seconds + waits.length * addedSeconds };
  });
  return {
    least: spans.length === 0 ? 0 : Math.min(...spans.map(({ least }) => least)),
    most: spans.reduce((sum, { most }) => sum + most, 0),
  };
}

/** https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html#error-handling-retrying-after-an-error */
function waitsOf(retrier: AslObject): number[] {
  const interval = numberIn(retrier, 'IntervalSeconds') ?? 1;
  const rate = numberIn(retrier, 'BackoffRate') ?? 2;
  const cap = numberIn(retrier, 'MaxDelaySeconds') ?? Infinity;
  return Array.from({ length: numberIn(retrier, 'MaxAttempts') ?? 3 }, (_, attempt) =>
    Math.min(interval * rate ** attempt, cap),
  );
}
