import type { Scope } from './scope.ts';

/** The field and state of a failed JSONata evaluation, as the history event EvaluationFailed names them. */
export type Evaluation = { readonly location?: string; readonly state: string };

/**
 * A failure of a state's data flow, with the error name and cause that AWS reports.
 * `evaluation` is there when AWS also writes the event EvaluationFailed.
 */
export class StatesError extends Error {
  override readonly name = 'StatesError';
  readonly error: string;
  override readonly cause: string;
  readonly evaluation?: Evaluation;

  constructor(error: string, cause: string, evaluation?: Evaluation) {
    super(`${error}: ${cause}`);
    this.error = error;
    this.cause = cause;
    if (evaluation) this.evaluation = evaluation;
  }
}

/** The words with which AWS begins a cause: which state, entered by which event. */
export function whileExecuting(scope: Scope): string {
  if (scope.enteredEventId === undefined) return '';
  return `An error occurred while executing the state '${scope.stateName}' (entered at the event id #${scope.enteredEventId}). `;
}

/** States.Runtime: the data does not fit what the definition says. */
export function runtimeError(scope: Scope, text: string): StatesError {
  return new StatesError('States.Runtime', whileExecuting(scope) + text);
}

/** States.QueryEvaluationError: a JSONata expression failed, or gave what its field cannot take. */
export function queryError(scope: Scope, location: string | undefined, text: string): StatesError {
  return new StatesError('States.QueryEvaluationError', whileExecuting(scope) + text, {
    ...(location === undefined ? {} : { location }),
    state: scope.stateName,
  });
}
