import { isRecord } from '../graph/definition.ts';

/** When the next attempt comes, after the last one failed: at the latest, with full jitter any time before. */
export type RetryWindow = {
  readonly latestMs: number;
  readonly jitter: boolean;
  readonly attemptsLeft: number;
};

/**
 * Pure: what the `Retry` of a state says about its next attempt, as
 * https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html has it. undefined where nothing
 * retries the error. `failures` is how often the state has failed so far under this redrive.
 */
export function retryWindow(
  state: unknown,
  error: string,
  failures: number,
): RetryWindow | undefined {
  const retriers = isRecord(state) && Array.isArray(state['Retry']) ? state['Retry'] : [];
  const retrier: unknown = retriers.find((candidate: unknown) => matches(candidate, error));
  if (!isRecord(retrier)) return undefined;
  const attemptsLeft = numberOf(retrier['MaxAttempts'], 3) - failures + 1;
  if (attemptsLeft <= 0) return undefined;
  const wait =
    numberOf(retrier['IntervalSeconds'], 1) * numberOf(retrier['BackoffRate'], 2) ** (failures - 1);
  const capped = Math.min(wait, numberOf(retrier['MaxDelaySeconds'], Infinity));
  return { latestMs: capped * 1000, jitter: retrier['JitterStrategy'] === 'FULL', attemptsLeft };
}

function matches(retrier: unknown, error: string): boolean {
  const names =
    isRecord(retrier) && Array.isArray(retrier['ErrorEquals']) ? retrier['ErrorEquals'] : [];
  return names.some(
    (name: unknown) =>
      name === error ||
      name === 'States.ALL' ||
      (name === 'States.TaskFailed' && error !== 'States.Timeout'),
  );
}

const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;
