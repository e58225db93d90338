import type { Message } from '@aws-sdk/client-sqs';
import { v7 } from 'uuid';
import { storableText } from '../failure.ts';
import type { Sql } from './connect.ts';
import type { QuarantiningQueue } from './quarantine.ts';

/** Keeps a message that an operator takes out of a dead-letter queue: what is discarded can still be looked up. */
export async function keepDiscarded(
  sql: Sql,
  queue: QuarantiningQueue,
  message: Message,
  by: { readonly actor: string; readonly reason: string },
): Promise<void> {
  await sql`
    insert into quarantined_messages
      (quarantine_id, queue, sqs_message_id, body, attributes, code, reason, receive_count, first_seen_at,
       resolution, resolved_at, resolved_by)
    values (${v7()}, ${queue}, ${message.MessageId ?? ''}, ${storableText(message.Body ?? '', 1024 * 1024 + 16)},
            ${sql.json(attributesOf(message))}, 'ATTEMPTS_EXHAUSTED',
            ${storableText(`discarded from the dead-letter queue: ${by.reason}`)},
            ${Number(message.Attributes?.ApproximateReceiveCount ?? 1)},
            ${new Date(Number(message.Attributes?.SentTimestamp ?? Date.now()))}, 'discarded', now(), ${by.actor})
    on conflict (queue, sqs_message_id) do update set
      resolution = 'discarded', resolved_at = now(), resolved_by = excluded.resolved_by`;
}

const attributesOf = (message: Message): Record<string, string> => ({
  ...message.Attributes,
  ...Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, { StringValue = '' }]) => [
      name,
      StringValue,
    ]),
  ),
});
