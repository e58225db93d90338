// The dispatcher as a Lambda function behind an SQS event source: the worker's dispatch, another adapter.
import { SFNClient } from '@aws-sdk/client-sfn';
import {
  ChangeMessageVisibilityCommand,
  type MessageAttributeValue,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { type Logger, pino } from 'pino';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { logError } from '../jobs/log-error.ts';
import { readDispatcherConfig } from '../jobs/config.ts';
import { withDirectSqs, withDirectStepFunctions } from '../jobs/direct-aws-calls.ts';
import { dispatch } from '../jobs/dispatch/dispatch-message.ts';
import { createSharedStatements } from '../jobs/dispatch/shared-statements.ts';
import type { DispatchDeps } from '../jobs/dispatch/run-context.ts';
import { createExecutions } from '../jobs/executions.ts';
import { createRelay } from '../jobs/relay.ts';
import { stepFunctionsClient } from '../jobs/step-functions-calls.ts';
import { connect } from '../jobs/store/connect.ts';
import type { ReceivedMessage } from '../jobs/store/quarantine.ts';
import { createTokenBucket } from './token-bucket.ts';

/** https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html, as far as it is read here. */
const sqsRecord = Type.Object({
  messageId: Type.String(),
  receiptHandle: Type.String(),
  body: Type.String(),
  attributes: Type.Record(Type.String(), Type.String()),
  messageAttributes: Type.Record(
    Type.String(),
    Type.Object({ dataType: Type.String(), stringValue: Type.Optional(Type.String()) }),
  ),
});
type SqsRecord = Static<typeof sqsRecord>;
const sqsEvent = Compile(Type.Object({ Records: Type.Array(sqsRecord) }));

/** Lambda deletes the other messages: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html */
export type BatchResponse = {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
};

type Deps = {
  readonly dispatchDeps: DispatchDeps;
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  /** Resolves when what was published is sent: the environment may be frozen as soon as the batch is answered. */
  readonly drain: () => Promise<void>;
  readonly log: Logger;
};

/** Longer than a moment, since a function cannot stop its event source during an outage, as the worker's circuit does. */
const outageDelaySeconds = 30;

/** Works on all messages of a batch at once; those that are not done are named as failures. */
export async function dispatchBatch(deps: Deps, event: unknown): Promise<BatchResponse> {
  if (!sqsEvent.Check(event)) throw new Error('the event is no batch of SQS messages');
  const done = await Promise.all(
    event.Records.map(async (record) => ({ record, ok: await work(deps, record) })),
  );
  await deps.drain();
  return {
    batchItemFailures: done
      .filter(({ ok }) => !ok)
      .map(({ record }) => ({ itemIdentifier: record.messageId })),
  };
}

async function work(deps: Deps, record: SqsRecord): Promise<boolean> {
  const disposition = await dispatch(deps.dispatchDeps, toReceived(record));
  if (disposition.kind === 'done') return true;
  const seconds = Math.max(disposition.seconds, outageDelaySeconds);
  return (await putBack(deps, record, seconds)) || (await hide(deps, record, seconds));
}

/**
 * Something around us fails: a copy takes the message's place, later. Receives are counted for crashes, and an outage
 * must not carry messages into the dead-letter queue. False where the copy was not taken.
 */
async function putBack(
  { sqs, queueUrl, log }: Deps,
  record: SqsRecord,
  seconds: number,
): Promise<boolean> {
  const group = record.attributes['MessageGroupId'];
  const command = new SendMessageCommand({
    QueueUrl: queueUrl,
    MessageBody: record.body,
    MessageAttributes: attributesOf(record),
    DelaySeconds: Math.min(seconds, 900),
    ...(group === undefined ? {} : { MessageGroupId: group }),
  });
  try {
    await sqs.send(command);
    return true;
  } catch (error) {
    log.warn({ err: error, sqsMessageId: record.messageId }, 'message not put back');
    return false;
  }
}

/** Always false: the message stays in the queue. */
async function hide(
  { sqs, queueUrl, log }: Deps,
  { receiptHandle, messageId }: SqsRecord,
  seconds: number,
): Promise<false> {
  const command = new ChangeMessageVisibilityCommand({
    QueueUrl: queueUrl,
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: seconds,
  });
  await sqs.send(command).catch((error: unknown) => {
    log.warn({ err: error, sqsMessageId: messageId }, 'it comes back after its visibility timeout');
  });
  return false;
}

const attributesOf = ({ messageAttributes }: SqsRecord): Record<string, MessageAttributeValue> =>
  Object.fromEntries(
    Object.entries(messageAttributes).flatMap(([name, { dataType, stringValue }]) =>
      stringValue === undefined ? [] : [[name, { DataType: dataType, StringValue: stringValue }]],
    ),
  );

const toReceived = (record: SqsRecord): ReceivedMessage => ({
  queue: 'job-requests',
  sqsMessageId: record.messageId,
  body: record.body,
  attributes: {
    ...record.attributes,
    ...Object.fromEntries(
      Object.entries(record.messageAttributes).map(([name, { stringValue }]) => [
        name,
        stringValue ?? '',
      ]),
    ),
  },
  receiveCount: Number(record.attributes['ApproximateReceiveCount'] ?? 1),
});

function createDeps(): Deps {
  const config = readDispatcherConfig();
  const log = pino({
    level: config.logLevel,
    base: { service: 'dispatcher' },
    serializers: { err: logError },
  });
  const sql = connect(config.database, 'pawl dispatcher');
  const requestHandler = {
    connectionTimeout: 2_000,
    requestTimeout: 5_000,
    throwOnRequestTimeout: true,
  };
  const sqs = withDirectSqs(new SQSClient({ useQueueUrlAsEndpoint: false, requestHandler }));
  const sfn = withDirectStepFunctions(new SFNClient(stepFunctionsClient));
  const queueUrl = config.jobRequestsUrl;
  const relay = createRelay({ sql, sqs, log, jobRequestsUrl: queueUrl });
  const startTokens = createTokenBucket(config.startsPerSecond, () => performance.now());
  const dispatchDeps: DispatchDeps = {
    sql,
    log,
    executions: createExecutions(sfn, config.stateMachineArnPrefix, config.stateMachineAlias),
    timeoutSecondsOf: (type) => config.jobTypeTimeouts.get(type),
    ...createSharedStatements(sql),
    takeStartToken: () => startTokens.take(),
    publishSoon: (row) => relay.publishSoon(row),
    random: Math.random,
  };
  return { dispatchDeps, sqs, queueUrl, drain: () => relay.drain(), log };
}

let ofThisProcess: Deps | undefined;

/** Lambda's handler; what it stands on is made at the first event and kept. */
export const handler = async (event: unknown): Promise<BatchResponse> => {
  ofThisProcess ??= createDeps();
  return await dispatchBatch(ofThisProcess, event);
};
