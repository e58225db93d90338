/**
 * Every code a job's `failure.code`, an effect or a quarantined message can carry: the closed list.
 * `retryable` is the default: whether a redrive may well succeed without anything being mended first.
 */
export const failureCodes = {
  // The job and its request
  JOB_NOT_RUNNABLE: {
    retryable: false,
    means: 'the job is no longer open under this execution and redrive count',
  },
  JOB_TYPE_UNKNOWN: { retryable: false, means: 'no state machine is deployed for this job type' },
  INPUT_INVALID: { retryable: false, means: 'the input does not fit the job type' },
  START_REFUSED: { retryable: false, means: 'Step Functions refused to start the execution' },
  ATTEMPTS_EXHAUSTED: {
    retryable: true,
    means: 'a message was tried as often as its attempt policy allows',
  },
  // The execution
  EXECUTION_ABORTED: { retryable: true, means: 'the execution was stopped from outside' },
  EXECUTION_TIMED_OUT: {
    retryable: true,
    means: 'the execution passed its state machine’s TimeoutSeconds',
  },
  EXECUTION_FAILED: {
    retryable: false,
    means: 'the execution failed with an error that is not one of ours',
  },
  MAP_RUN_FAILED: {
    retryable: true,
    means:
      'a distributed Map failed, and none of its children told why; a resume runs those that failed and no others',
  },
  EXECUTION_LOST: {
    retryable: true,
    means: 'the execution ended or vanished without the job being finished',
  },
  STATE_TIMED_OUT: {
    retryable: true,
    means: 'a state passed its TimeoutSeconds or missed its heartbeat',
  },
  TASK_CRASHED: {
    retryable: true,
    means: 'a task’s function died, ran out of memory or could not be invoked',
  },
  TASK_FAULT: {
    retryable: false,
    means: 'a task threw something that is neither Transient nor Terminal: a bug',
  },
  EXECUTION_STILL_RUNNING: {
    retryable: true,
    means: 'an older execution of the job has to be closed before the next one is started',
  },
  REDRIVE_REFUSED: { retryable: false, means: 'Step Functions refused the redrive' },
  // The payload
  PAYLOAD_NOT_FOUND: {
    retryable: false,
    means: 'there is no such object or version in the bucket',
  },
  PAYLOAD_ACCESS_DENIED: {
    retryable: false,
    means: 'S3 denied access to the payload, or it does not exist',
  },
  PAYLOAD_CHECKSUM_MISMATCH: {
    retryable: false,
    means: 'the payload’s bytes are not the ones that were promised',
  },
  PAYLOAD_CHANGED: {
    retryable: false,
    means: 'the object was replaced after it had been validated',
  },
  PAYLOAD_TOO_LARGE: { retryable: false, means: 'the payload is larger than this job type takes' },
  // The document
  DOCUMENT_ENCRYPTED: { retryable: false, means: 'the document cannot be read without a password' },
  DOCUMENT_DAMAGED: {
    retryable: false,
    means: 'the document is truncated or not what its type says',
  },
  DOCUMENT_TOO_COMPLEX: {
    retryable: false,
    means: 'reading the document passed the limits of time, memory or pixels',
  },
  VERSION_CONFLICT: {
    retryable: false,
    means: 'the same version is already stored with other bytes',
  },
  // The import
  IMPORT_UNREADABLE: {
    retryable: false,
    means: 'the payload is no CSV with a header that names keyField, and no NDJSON',
  },
  TOO_MANY_ROWS_FAILED: {
    retryable: false,
    means: 'more rows of an import failed than it tolerates; the others are imported',
  },
  // The order
  SKU_UNKNOWN: { retryable: false, means: 'an item of the order is not in the stock list' },
  OUT_OF_STOCK: {
    retryable: true,
    means: 'there is less in stock than the order wants; nothing was reserved',
  },
  PRICE_CHANGED: {
    retryable: false,
    means: 'the order names another unit price than the list; nothing was reserved',
  },
  ORDER_CONFLICT: {
    retryable: false,
    means: 'the order is another job’s, or was changed under this one’s hands',
  },
  PAYMENT_DECLINED: {
    retryable: true,
    means: 'the payment was declined; the stock was released. A restart asks for a new payment',
  },
  PAYMENT_TIMED_OUT: {
    retryable: true,
    means:
      'nobody paid in time; the payment was voided and the stock released. A restart asks for a new payment',
  },
  PAYMENT_MISMATCH: {
    retryable: false,
    means: 'the provider confirmed another amount or currency than was asked for',
  },
  // Providers and the effect log
  EFFECT_IN_PROGRESS: {
    retryable: true,
    means: 'another attempt is calling the provider right now',
  },
  EFFECT_OUTCOME_UNKNOWN: {
    retryable: false,
    means: 'whether the provider did it is not known; a person decides',
  },
  EFFECT_REJECTED: { retryable: false, means: 'the provider refused the request' },
  EFFECT_ABANDONED: {
    retryable: false,
    means: 'a person decided that this effect is never called again',
  },
  EFFECT_HASH_MISMATCH: {
    retryable: false,
    means: 'the effect key was used before for other content',
  },
  PROVIDER_UNAVAILABLE: {
    retryable: true,
    means: 'the provider could not be reached or asked to come back later',
  },
  // Messages
  MESSAGE_MALFORMED: { retryable: false, means: 'the message is not JSON or not an envelope' },
  MESSAGE_TYPE_UNKNOWN: {
    retryable: false,
    means: 'the message type is not one that this version knows',
  },
  SCHEMA_VERSION_UNKNOWN: {
    retryable: false,
    means: 'the envelope’s schema version is not one that this version knows',
  },
  REQUEST_HASH_MISMATCH: {
    retryable: false,
    means: 'the idempotency key was used before for another request',
  },
  JOB_UNKNOWN: { retryable: false, means: 'the message names a job that does not exist' },
  // What is around us
  DATABASE_UNAVAILABLE: {
    retryable: true,
    means: 'the database could not be reached or did not answer in time',
  },
  DATABASE_CONFLICT: {
    retryable: true,
    means: 'a serialization failure, deadlock or lock timeout',
  },
  DATABASE_CONSTRAINT: { retryable: false, means: 'a write would have broken a constraint: a bug' },
  DATABASE_ERROR: { retryable: false, means: 'the database refused a statement: a bug' },
  S3_UNAVAILABLE: { retryable: true, means: 'S3 could not be reached, throttled or failed' },
  S3_REFUSED: { retryable: false, means: 'S3 refused the request' },
  AWS_UNAVAILABLE: {
    retryable: true,
    means: 'an AWS service could not be reached, throttled or failed',
  },
  AWS_REFUSED: { retryable: false, means: 'an AWS service refused the request' },
} as const satisfies Record<string, { retryable: boolean; means: string }>;

export type FailureCode = keyof typeof failureCodes;

const compensated: ReadonlySet<string> = new Set<FailureCode>([
  'PAYMENT_DECLINED',
  'PAYMENT_TIMED_OUT',
]);

/** Whether a job that fails with this has undone what it had begun: it is restarted, never resumed. */
export const isCompensated = (code: string): boolean => compensated.has(code);

export const isFailureCode = (text: string): text is FailureCode =>
  Object.hasOwn(failureCodes, text);
