import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Logger } from 'pino';
import { backoffMs } from '../backoff.ts';
import type { Sql } from '../store/connect.ts';
import { claimEvents, type EventRow } from '../store/events.ts';
import { type PublishFailure, recordPublished, recordPublishFailures } from '../store/outbox.ts';
import { eventSource } from './catalogue.ts';

export type PublishDeps = {
  readonly sql: Sql;
  readonly eventBridge: EventBridgeClient;
  readonly busName: string;
  readonly log: Logger;
  readonly random: () => number;
};

/** PutEvents takes ten entries and 256 KiB (https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html); our events are under 20 KiB. */
const maxEntries = 10;
/** At the same time; more would take the database's connections from the dispatcher. */
const batchesATurn = 4;
const backoff = { firstMs: 1_000, capMs: 60_000 };

/**
 * Publishes due events, ten a call. An event may arrive twice, never not at all: what is not recorded is published
 * again with the same `eventId`. `again` while there is more.
 */
export async function publishEvents(deps: PublishDeps): Promise<'again' | void> {
  const rows = await claimEvents(deps.sql, maxEntries * batchesATurn);
  const batches = Array.from({ length: Math.ceil(rows.length / maxEntries) }, (_, batch) =>
    rows.slice(batch * maxEntries, (batch + 1) * maxEntries),
  );
  await Promise.all(batches.map((batch) => publish(deps, batch)));
  return rows.length === maxEntries * batchesATurn ? 'again' : undefined;
}

async function publish(deps: PublishDeps, rows: readonly EventRow[]): Promise<void> {
  const errors = await put(deps, rows);
  const published = rows.filter((_, index) => errors[index] === undefined);
  if (published.length > 0) await recordPublished(deps.sql, published);
  const failures = rows.flatMap(({ messageId, attempts }, index): PublishFailure[] => {
    const error = errors[index];
    if (error === undefined) return [];
    return [{ messageId, attempts, error, retryInMs: backoffMs(attempts, backoff, deps.random) }];
  });
  if (failures.length === 0) return;
  deps.log.warn({ failures: failures.length, error: failures[0]?.error }, 'events not published');
  await recordPublishFailures(deps.sql, failures);
}

/** The error of each entry, by its place; undefined where the bus has it. HTTP 200 may hold failures. */
async function put(
  { eventBridge, busName }: PublishDeps,
  rows: readonly EventRow[],
): Promise<readonly (string | undefined)[]> {
  try {
    const { Entries = [] } = await eventBridge.send(
      new PutEventsCommand({ Entries: rows.map((row) => toEntry(row, busName)) }),
    );
    return rows.map((_, index) => {
      const entry = Entries[index];
      if (entry?.EventId !== undefined) return undefined;
      return `${entry?.ErrorCode ?? 'no answer'}: ${entry?.ErrorMessage ?? ''}`;
    });
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return rows.map(() => text);
  }
}

const toEntry = ({ envelope }: EventRow, busName: string) => ({
  EventBusName: busName,
  Source: eventSource,
  DetailType: envelope.type,
  Time: new Date(envelope.occurredAt),
  Detail: JSON.stringify(envelope),
});
