import type { Catcher, Retrier } from '../definition/ast.ts';

/** Errors that no Retry or Catch takes, whatever it names, and that States.ALL does not stand for. */
const uncatchable = 'States.Runtime';
const onlyByName = 'States.DataLimitExceeded';

/**
 * Whether an ErrorEquals list takes an error.
 * https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html
 * `alias` is a second name of the same error: a missed heartbeat is States.Timeout and States.HeartbeatTimeout.
 */
export function takesError(
  errorEquals: readonly string[],
  error: string | undefined,
  alias?: string,
): boolean {
  if (error === uncatchable) return false;
  return errorEquals.some((name) => {
    if (name === error || (alias !== undefined && name === alias)) return true;
    if (error === onlyByName) return false;
    if (name === 'States.ALL') return true;
    return name === 'States.TaskFailed' && error !== 'States.Timeout';
  });
}

/** The position of the first Retrier or Catcher that takes the error; -1 when none does. */
export function findTaker(
  takers: readonly (Retrier | Catcher)[],
  error: string | undefined,
  alias?: string,
): number {
  return takers.findIndex((each) => takesError(each.errorEquals, error, alias));
}
