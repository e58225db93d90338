import { type FailureCode } from './failure-codes.ts';
import { JobError, Terminal, Transient } from './failure.ts';

/** One row of the table in docs/failures.md: what is seen, and what it means. */
type Verdict = { readonly kind: 'transient' | 'terminal'; readonly code: FailureCode };

const transient = (code: FailureCode): Verdict => ({ kind: 'transient', code });
const terminal = (code: FailureCode): Verdict => ({ kind: 'terminal', code });

/** By SQLSTATE, or its first two characters for a whole class (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export const sqlStates: Readonly<Record<string, Verdict>> = {
  '40001': transient('DATABASE_CONFLICT'), // serialization_failure
  '40P01': transient('DATABASE_CONFLICT'), // deadlock_detected
  '55P03': transient('DATABASE_CONFLICT'), // lock_not_available: lock_timeout
  '57014': transient('DATABASE_UNAVAILABLE'), // query_canceled: statement_timeout
  '25P03': transient('DATABASE_UNAVAILABLE'), // idle_in_transaction_session_timeout
  '53': transient('DATABASE_UNAVAILABLE'), // insufficient resources: connections, memory, disk
  '57': transient('DATABASE_UNAVAILABLE'), // operator intervention: shutdown, crash, cannot connect now
  '58': transient('DATABASE_UNAVAILABLE'), // system error: I/O
  '08': transient('DATABASE_UNAVAILABLE'), // connection exception
  '23': terminal('DATABASE_CONSTRAINT'),
};

/** What the `postgres` package and our own deadline call a connection that is gone. */
export const connectionCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'STATEMENT_DEADLINE',
]);

/** Node's codes for a connection that could not be made or broke; for S3, SQS and Step Functions alike. */
export const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'TimeoutError',
  'RequestTimeout',
  'AbortError',
]);

/** By S3's error code (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). */
export const s3Codes: Readonly<Record<string, Verdict>> = {
  NoSuchKey: terminal('PAYLOAD_NOT_FOUND'),
  NoSuchVersion: terminal('PAYLOAD_NOT_FOUND'),
  NoSuchBucket: terminal('PAYLOAD_NOT_FOUND'),
  NotFound: terminal('PAYLOAD_NOT_FOUND'), // HEAD has no body, so no finer code
  MethodNotAllowed: terminal('PAYLOAD_NOT_FOUND'), // the version is a delete marker
  AccessDenied: terminal('PAYLOAD_ACCESS_DENIED'),
  Forbidden: terminal('PAYLOAD_ACCESS_DENIED'),
  PreconditionFailed: terminal('PAYLOAD_CHANGED'),
  InternalError: transient('S3_UNAVAILABLE'),
  ServiceUnavailable: transient('S3_UNAVAILABLE'),
  SlowDown: transient('S3_UNAVAILABLE'),
  RequestTimeout: transient('S3_UNAVAILABLE'),
  OperationAborted: transient('S3_UNAVAILABLE'),
  ConditionalRequestConflict: transient('S3_UNAVAILABLE'),
  ExpiredToken: transient('S3_UNAVAILABLE'),
};

/** What any AWS service answers when it wants us to slow down or wait. */
export const throttlingNames = new Set([
  'ThrottlingException',
  'Throttling',
  'TooManyRequestsException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'ExecutionLimitExceeded',
  'KmsThrottlingException',
  'ServiceUnavailable',
  'InternalFailure',
]);

const field = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null
    ? (error as Record<string, unknown>)[name]
    : undefined;

const textField = (error: unknown, name: string): string | undefined => {
  const value = field(error, name);
  return typeof value === 'string' ? value : undefined;
};

/** An error of the AWS SDK has `$metadata`, also where no answer came. */
const isSdkError = (error: unknown): boolean => typeof field(error, '$metadata') === 'object';

const httpStatus = (error: unknown): number | undefined => {
  const status = field(field(error, '$metadata'), 'httpStatusCode');
  return typeof status === 'number' ? status : undefined;
};

/** The verdict on an error of the database, or undefined where it is none. */
export function databaseVerdict(error: unknown): Verdict | undefined {
  const code = textField(error, 'code');
  if (code === undefined) return undefined;
  if (connectionCodes.has(code)) return transient('DATABASE_UNAVAILABLE');
  if (textField(error, 'name') !== 'PostgresError') {
    return networkCodes.has(code) && !isSdkError(error)
      ? transient('DATABASE_UNAVAILABLE')
      : undefined;
  }
  return sqlStates[code] ?? sqlStates[code.slice(0, 2)] ?? terminal('DATABASE_ERROR');
}

const unreachable = (error: unknown): boolean =>
  networkCodes.has(textField(error, 'code') ?? '') ||
  networkCodes.has(textField(error, 'name') ?? '');

const overloaded = (error: unknown): boolean => {
  const status = httpStatus(error);
  return (
    throttlingNames.has(textField(error, 'name') ?? '') || status === 429 || (status ?? 0) >= 500
  );
};

/** The verdict on an error from reading or writing S3. */
export function s3Verdict(error: unknown): Verdict {
  const known = s3Codes[textField(error, 'name') ?? ''] ?? s3Codes[textField(error, 'Code') ?? ''];
  if (known !== undefined) return known;
  if (unreachable(error) || overloaded(error)) return transient('S3_UNAVAILABLE');
  return isSdkError(error) ? terminal('S3_REFUSED') : transient('S3_UNAVAILABLE');
}

/** The verdict on an error of SQS, Step Functions or EventBridge. Named refusals are the caller's business first. */
export function awsVerdict(error: unknown): Verdict {
  if (unreachable(error) || overloaded(error)) return transient('AWS_UNAVAILABLE');
  // No status and no modelled fault: no answer of the service was understood (a proxy's page, a cut connection).
  if (
    isSdkError(error) &&
    httpStatus(error) !== undefined &&
    field(error, '$fault') !== undefined
  ) {
    return terminal('AWS_REFUSED');
  }
  return transient('AWS_UNAVAILABLE');
}

const toJobError = (verdict: Verdict, error: unknown): JobError => {
  const message = error instanceof Error ? error.message : String(error);
  return verdict.kind === 'transient'
    ? new Transient(verdict.code, message, { cause: error })
    : new Terminal(verdict.code, message, { cause: error });
};

/** Runs an S3 call; what it throws comes out as Transient or Terminal. */
export async function classifyingS3<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof JobError ? error : toJobError(s3Verdict(error), error);
  }
}

/** Runs a call of SQS, Step Functions or EventBridge; what it throws comes out as Transient or Terminal. */
export async function classifyingAws<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof JobError ? error : toJobError(awsVerdict(error), error);
  }
}

/**
 * Any error as Transient or Terminal: ours stay, the database's go by the table, and what is left is a bug
 * (Terminal TASK_FAULT), because retrying the unknown hides it.
 */
export function classify(error: unknown): JobError {
  if (error instanceof JobError) return error;
  return toJobError(databaseVerdict(error) ?? terminal('TASK_FAULT'), error);
}
