import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type JobId, type MessageId, newMessageId, type TenantId } from './ids.ts';
import { Terminal } from './failure.ts';

/** The version of the envelope that this code writes and understands. */
export const schemaVersion = 1;

const jobRun = Type.Object({
  jobId: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  tenantId: Type.String(),
  type: Type.String(),
  run: Type.Integer({ minimum: 1 }),
  executionName: Type.String(),
  redriveCount: Type.Integer({ minimum: 0 }),
});

/** The payload of each message type: ids and references, never documents or secrets. */
const payloads = {
  JobRequested: jobRun,
  JobRedriveRequested: Type.Intersect([
    jobRun,
    Type.Object({
      mode: Type.Enum(['resume', 'restart', 'auto']),
      /** What RedriveExecution must bring the execution to; the fence's count of this run. */
      expectedRedriveCount: Type.Integer({ minimum: 0 }),
      /** The execution of the run before: a restart waits until it is closed. */
      previousExecutionName: Type.String(),
    }),
  ]),
  JobStopRequested: Type.Intersect([
    jobRun,
    Type.Object({ status: Type.Enum(['CANCELLED', 'EXPIRED']) }),
  ]),
  /** A stored answer is to be brought to the state that waits for it; the run is the one that asked. */
  TaskCallbackReceived: Type.Intersect([jobRun, Type.Object({ callbackId: Type.String() })]),
};

export type MessageType = keyof typeof payloads;
export type MessagePayload<Name extends MessageType> = Static<(typeof payloads)[Name]>;

const attemptPolicy = Type.Object({
  maxBusinessAttempts: Type.Integer({ minimum: 1 }),
  notBefore: Type.Union([Type.String(), Type.Null()]),
  retryableUntil: Type.Union([Type.String(), Type.Null()]),
  terminalAfterCodes: Type.Array(Type.String()),
});
export type AttemptPolicy = Static<typeof attemptPolicy>;

const envelopeHead = Type.Object({
  messageId: Type.String({ minLength: 1 }),
  schemaVersion: Type.Integer(),
  messageType: Type.String(),
  producer: Type.String(),
  occurredAt: Type.String(),
  idempotencyKey: Type.String({ minLength: 1 }),
  aggregateType: Type.String(),
  aggregateId: Type.String(),
  causationId: Type.Union([Type.String(), Type.Null()]),
  correlationId: Type.String(),
  attemptPolicy,
  payload: Type.Unknown(),
});

type Head = Omit<Static<typeof envelopeHead>, 'payload' | 'messageType' | 'messageId'>;

/** A message as it stands in the outbox and in SQS; unknown fields are ignored when it is read. */
export type Envelope<Name extends MessageType = MessageType> = {
  [Key in Name]: Head & { messageId: MessageId; messageType: Key; payload: MessagePayload<Key> };
}[Name];

const headCheck = Compile(envelopeHead);
const payloadChecks = {
  JobRequested: Compile(payloads.JobRequested),
  JobRedriveRequested: Compile(payloads.JobRedriveRequested),
  JobStopRequested: Compile(payloads.JobStopRequested),
  TaskCallbackReceived: Compile(payloads.TaskCallbackReceived),
};

/** Patient enough for an outage of Step Functions of hours: what is given up after it is redriven by a person. */
export const defaultAttemptPolicy: AttemptPolicy = {
  maxBusinessAttempts: 100,
  notBefore: null,
  retryableUntil: null,
  terminalAfterCodes: [],
};

type NewEnvelope<Name extends MessageType> = {
  readonly messageType: Name;
  readonly payload: MessagePayload<Name>;
  /** The same for every copy of one request, and different for the next run. */
  readonly idempotencyKey: string;
  readonly producer: 'api' | 'worker' | 'tasks';
  readonly correlationId: string;
  readonly causationId?: string | null;
  readonly occurredAt: Date;
  readonly attemptPolicy?: Partial<AttemptPolicy>;
};

/** Writes the envelope of a message about a job. */
export function newEnvelope<Name extends MessageType>(message: NewEnvelope<Name>): Envelope {
  return {
    messageId: newMessageId(),
    schemaVersion,
    messageType: message.messageType,
    producer: message.producer,
    occurredAt: message.occurredAt.toISOString(),
    idempotencyKey: message.idempotencyKey,
    aggregateType: 'job',
    aggregateId: message.payload.jobId,
    causationId: message.causationId ?? null,
    correlationId: message.correlationId,
    attemptPolicy: { ...defaultAttemptPolicy, ...message.attemptPolicy },
    payload: message.payload,
  } as Envelope;
}

const isMessageType = (name: string): name is MessageType => Object.hasOwn(payloads, name);

/**
 * Reads the body of a message. Throws Terminal with MESSAGE_MALFORMED, SCHEMA_VERSION_UNKNOWN or
 * MESSAGE_TYPE_UNKNOWN: such a message is quarantined, never tried again.
 */
export function parseEnvelope(body: string): Envelope {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (cause) {
    throw new Terminal('MESSAGE_MALFORMED', `the body is not JSON: ${String(cause)}`, { cause });
  }
  // The version first: another version may well have another shape.
  const version =
    typeof parsed === 'object' && parsed !== null && 'schemaVersion' in parsed
      ? parsed.schemaVersion
      : undefined;
  if (version !== undefined && version !== schemaVersion) {
    throw new Terminal(
      'SCHEMA_VERSION_UNKNOWN',
      `schemaVersion is ${JSON.stringify(version)}; this version reads ${schemaVersion}`,
    );
  }
  if (!headCheck.Check(parsed))
    throw new Terminal(
      'MESSAGE_MALFORMED',
      `not an envelope: ${firstProblem(headCheck.Errors(parsed))}`,
    );
  if (!isMessageType(parsed.messageType)) {
    throw new Terminal(
      'MESSAGE_TYPE_UNKNOWN',
      `messageType is ${parsed.messageType}; known are ${Object.keys(payloads).join(', ')}`,
    );
  }
  const check = payloadChecks[parsed.messageType];
  if (!check.Check(parsed.payload)) {
    throw new Terminal(
      'MESSAGE_MALFORMED',
      `payload of ${parsed.messageType}: ${firstProblem(check.Errors(parsed.payload))}`,
    );
  }
  return parsed as Envelope;
}

const firstProblem = (errors: readonly { instancePath: string; message: string }[]): string => {
  const [first] = errors;
  return first === undefined
    ? 'unknown problem'
    : `${first.instancePath === '' ? '/' : first.instancePath} ${first.message}`;
};

/** The ids of a message's job, typed. */
export const jobOf = (envelope: Envelope): { jobId: JobId; tenantId: TenantId } => ({
  jobId: envelope.payload.jobId as JobId,
  tenantId: envelope.payload.tenantId as TenantId,
});
