/** The error names of the service model that this engine can answer with. */
export type ApiErrorCode =
  | 'ActivityAlreadyExists'
  | 'ActivityDoesNotExist'
  | 'ConflictException'
  | 'ExecutionAlreadyExists'
  | 'ExecutionDoesNotExist'
  | 'ExecutionLimitExceeded'
  | 'ExecutionNotRedrivable'
  | 'InvalidArn'
  | 'InvalidDefinition'
  | 'InvalidEncryptionConfiguration'
  | 'InvalidExecutionInput'
  | 'InvalidLoggingConfiguration'
  | 'InvalidName'
  | 'InvalidOutput'
  | 'InvalidToken'
  | 'InvalidTracingConfiguration'
  | 'ResourceNotFound'
  | 'ServiceQuotaExceededException'
  | 'StateMachineAlreadyExists'
  | 'StateMachineDeleting'
  | 'StateMachineDoesNotExist'
  | 'StateMachineTypeNotSupported'
  | 'TaskDoesNotExist'
  | 'TaskTimedOut'
  | 'TooManyTags'
  | 'ValidationException'
  | 'SerializationException'
  | 'UnknownOperationException'
  | 'InternalFailure';

/** A request is refused with one of AWS's errors. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  /** Further members of the error, as modelled (`resourceName`, `reason`). */
  readonly members: Readonly<Record<string, string>>;

  constructor(code: ApiErrorCode, message: string, members: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.members = members;
  }

  get httpStatus(): number {
    if (this.code === 'InternalFailure') return 500;
    if (this.code === 'ConflictException') return 409;
    return this.code === 'ServiceQuotaExceededException' ? 402 : 400;
  }

  /** `__type` on the wire; the SDKs drop what is before the `#`. */
  get wireType(): string {
    switch (this.code) {
      case 'ValidationException':
        return 'com.amazon.coral.validate#ValidationException';
      case 'SerializationException':
      case 'UnknownOperationException':
      case 'InternalFailure':
        return `com.amazon.coral.service#${this.code}`;
      default:
        return `com.amazonaws.swf.service.v2.model#${this.code}`;
    }
  }
}
