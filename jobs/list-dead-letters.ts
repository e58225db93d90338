import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import { peekDeadLetters } from './dead-letters.ts';
import type { JobId } from './ids.ts';
import { messageNameOf } from './message-name.ts';
import type { Sql } from './store/connect.ts';
import { findMessageFates, type MessageFate } from './store/message-fates.ts';

/** A message of a dead-letter queue with what is known about it. */
export type DeadLetter = {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly receiveCount: number;
  readonly firstSeenAt: Date | null;
  /** When a consumer last wrote something about it. */
  readonly lastSeenAt: Date | null;
  readonly reason: string;
  readonly jobId: JobId | null;
  readonly jobStatus: string | null;
};

/** The messages of a dead-letter queue, each with why it is there. */
export async function listDeadLetters(
  deps: { readonly sql: Sql; readonly sqs: SQSClient },
  dlqUrl: string,
  limit: number,
): Promise<DeadLetter[]> {
  const messages = await peekDeadLetters(deps.sqs, dlqUrl, limit);
  const named = messages.map((message) => ({ message, name: messageNameOf(message.Body ?? '') }));
  const fates = await findMessageFates(
    deps.sql,
    named.flatMap(({ name }) => name ?? []),
  );
  return named.map(({ message, name }) => {
    const fate = fates.find(
      ({ jobId, idempotencyKey }) =>
        jobId === name?.jobId && idempotencyKey === name.idempotencyKey,
    );
    return toDeadLetter(message, name?.jobId ?? null, fate);
  });
}

function toDeadLetter(
  message: Message,
  jobId: JobId | null,
  fate: MessageFate | undefined,
): DeadLetter {
  const receiveCount = Number(message.Attributes?.ApproximateReceiveCount ?? 1);
  const sentAt = Number(message.Attributes?.SentTimestamp);
  return {
    messageId: message.MessageId ?? '',
    body: message.Body ?? '',
    attributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, { StringValue = '' }]) => [
        name,
        StringValue,
      ]),
    ),
    receiveCount,
    firstSeenAt: Number.isFinite(sentAt) ? new Date(sentAt) : null,
    lastSeenAt: fate?.inboxUpdatedAt ?? null,
    reason: reasonOf(fate),
    jobId,
    jobStatus: fate?.jobStatus ?? null,
  };
}

/** Only crashes fill a dead-letter queue: what fails otherwise is postponed or quarantined. */
function reasonOf(fate: MessageFate | undefined): string {
  const crash = 'received as often as the queue allows and never answered for: its consumers died';
  if (fate === undefined) return crash;
  if (fate.jobStatus === null) return `${crash}; there is no such job`;
  if (fate.inboxStatus === null) return `${crash}; the inbox has not seen it`;
  const outcome = fate.inboxOutcome === null ? '' : ` (${fate.inboxOutcome})`;
  return `${crash}; in the inbox it is ${fate.inboxStatus}${outcome}`;
}
