/** The errors of EventBridge's API that this stand-in answers with. */
export type ErrorType =
  | 'IllegalStatusException'
  | 'InternalException'
  | 'InvalidEventPatternException'
  | 'LimitExceededException'
  | 'ResourceAlreadyExistsException'
  | 'ResourceNotFoundException'
  | 'SerializationException'
  | 'UnknownOperationException'
  | 'ValidationException';

/** An answer of status 400 (500 for InternalException) with the error's type. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly type: ErrorType;
  constructor(type: ErrorType, message: string) {
    super(message);
    this.type = type;
  }
}
