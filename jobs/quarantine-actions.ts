import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { classifyingAws } from './classify.ts';
import type { QueueConfig } from './config.ts';
import { messageNameOf } from './message-name.ts';
import { sourceUrlOf } from './queue-status.ts';
import type { Sql } from './store/connect.ts';
import { releaseJobs } from './store/held-jobs.ts';
import {
  listQuarantine,
  type QuarantinedMessage,
  type QuarantineFilter,
  resolveQuarantined,
} from './store/list-quarantine.ts';

type Deps = { readonly sql: Sql; readonly sqs: SQSClient; readonly queues: QueueConfig };

export type ResolvedQuarantine = {
  readonly ids: readonly string[];
  /** More match than were dealt with in one go. */
  readonly more: boolean;
};

const batchSize = 20;

/**
 * Sends quarantined messages to their queue again, as they were, lets go the jobs that were held because of them, and
 * marks each after SQS has it: a crash in between leaves it marked as not dealt with. One that still cannot be worked on
 * is quarantined anew.
 */
export async function redriveQuarantined(
  deps: Deps,
  filter: Omit<QuarantineFilter, 'resolved'>,
  who: { readonly actor: string; readonly limit: number },
): Promise<ResolvedQuarantine> {
  return await inBatches(deps.sql, filter, who.limit, async (messages) => {
    await Promise.all(messages.map((message) => send(deps, message)));
    await releaseJobs(
      deps.sql,
      messages.flatMap(({ body }) => messageNameOf(body) ?? []),
    );
    return await resolveQuarantined(deps.sql, idsOf(messages), 'redriven', who.actor);
  });
}

/** Marks quarantined messages as not worth doing; their bodies stay until retention takes them. */
export async function discardQuarantined(
  sql: Sql,
  filter: Omit<QuarantineFilter, 'resolved'>,
  who: { readonly actor: string; readonly limit: number },
): Promise<ResolvedQuarantine> {
  return await inBatches(
    sql,
    filter,
    who.limit,
    async (messages) => await resolveQuarantined(sql, idsOf(messages), 'discarded', who.actor),
  );
}

async function inBatches(
  sql: Sql,
  filter: Omit<QuarantineFilter, 'resolved'>,
  limit: number,
  act: (messages: readonly QuarantinedMessage[]) => Promise<readonly string[]>,
): Promise<ResolvedQuarantine> {
  const ids: string[] = [];
  let before: string | undefined;
  while (ids.length < limit) {
    const page = { limit: Math.min(batchSize, limit - ids.length), before };
    const messages = await listQuarantine(sql, { ...filter, resolved: false }, page);
    if (messages.length === 0) return { ids, more: false };
    ids.push(...(await act(messages)));
    before = messages.at(-1)?.quarantineId;
  }
  const left = await listQuarantine(sql, { ...filter, resolved: false }, { limit: 1 });
  return { ids, more: left.length > 0 };
}

const idsOf = (messages: readonly QuarantinedMessage[]): string[] =>
  messages.map(({ quarantineId }) => quarantineId);

const systemAttributes = new Set([
  'ApproximateReceiveCount',
  'ApproximateFirstReceiveTimestamp',
  'SentTimestamp',
  'SenderId',
  'MessageGroupId',
]);

async function send({ sqs, queues }: Deps, message: QuarantinedMessage): Promise<void> {
  const { queue, body, attributes } = message;
  const MessageAttributes = Object.fromEntries(
    Object.entries(attributes)
      .filter(([name, value]) => !systemAttributes.has(name) && value !== '')
      .map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
  );
  const group = attributes['MessageGroupId'];
  const command = new SendMessageCommand({
    QueueUrl: sourceUrlOf(queues, queue),
    MessageBody: body,
    ...(Object.keys(MessageAttributes).length === 0 ? {} : { MessageAttributes }),
    ...(group === undefined ? {} : { MessageGroupId: group }),
  });
  await classifyingAws(() => sqs.send(command));
}
