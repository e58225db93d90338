import { v7 } from 'uuid';
import type { FailureCode } from '../failure-codes.ts';
import { storableText } from '../failure.ts';
import { messageNameOf } from '../message-name.ts';
import type { Sql } from './connect.ts';

/** The queues whose messages may be quarantined. */
export const quarantiningQueues = [
  'job-requests',
  'execution-events',
  'search-projection',
  'notifications',
] as const;
export type QuarantiningQueue = (typeof quarantiningQueues)[number];

/** A message as SQS delivered it. */
export type ReceivedMessage = {
  readonly queue: QuarantiningQueue;
  readonly sqsMessageId: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly receiveCount: number;
};

/** SQS takes up to 1 MiB; the whole body is kept. */
const maxBodyBytes = 1024 * 1024 + 16;

/** Keeps a message that can never be worked on, whole, for a person; a repeated one counts up. */
export async function quarantine(
  sql: Sql,
  message: ReceivedMessage,
  code: FailureCode,
  reason: string,
): Promise<void> {
  const name = messageNameOf(message.body);
  const key = name?.idempotencyKey ?? null;
  await sql`
    insert into quarantined_messages as q
      (quarantine_id, queue, sqs_message_id, body, attributes, code, reason, receive_count, job_id, idempotency_key)
    values (${v7()}, ${message.queue}, ${message.sqsMessageId}, ${storableText(message.body, maxBodyBytes)},
            ${sql.json(message.attributes)}, ${code}, ${storableText(reason)}, ${message.receiveCount},
            ${name?.jobId ?? null}, ${key === null ? null : storableText(key)})
    on conflict (queue, sqs_message_id) do update set
      last_seen_at = now(), receive_count = greatest(q.receive_count, excluded.receive_count)`;
}
