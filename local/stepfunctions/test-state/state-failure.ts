/** A tested state that ended with an error: a Task's, a Fail state's, or the mock's. */
export class StateFailure extends Error {
  override readonly name = 'StateFailure';
  readonly error?: string;
  override readonly cause?: string;

  constructor(error: string | undefined, cause: string | undefined) {
    super(`${error ?? 'error'}: ${cause ?? ''}`);
    if (error !== undefined) this.error = error;
    if (cause !== undefined) this.cause = cause;
  }
}
