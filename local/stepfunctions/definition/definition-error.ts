/** A definition that is no state machine; `location` as in `/States/X/Next`. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  readonly location: string;

  constructor(message: string, location: string) {
    super(`${message} at ${location}`);
    this.location = location;
  }
}
