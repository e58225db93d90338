import type { Envelope } from '../envelope.ts';
import type { MessageId, TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';
import { givenRows } from './given-rows.ts';
import { keptFragment } from './kept-fragment.ts';

export type Destination = 'job-requests' | 'event-bus' | 'webhook';

/** An outbox row in the hands of whoever publishes it now. `attempts` counts this one. */
export type OutboxRow = {
  readonly messageId: MessageId;
  readonly tenantId: TenantId;
  readonly destination: Destination;
  readonly envelope: Envelope;
  readonly traceparent: string | null;
  readonly attempts: number;
};

/** How long the process that wrote a row has to publish it before the sweep takes it. */
export const firstLeaseSeconds = 5;
/** How long the sweep has for the rows that it claims at once. */
export const sweepLeaseSeconds = 30;

/**
 * Takes up to `limit` due rows for the queue job-requests: oldest due first, one lease each by pushing next_attempt_at ahead. No cursor, so
 * a row that commits late is seen whenever it commits. Several sweepers never take the same row (skip locked).
 */
export async function claimOutbox(sql: Sql, limit: number): Promise<OutboxRow[]> {
  return await sql<OutboxRow[]>`
    with due as (
      select message_id from outbox
      where published_at is null and next_attempt_at <= now() and destination = 'job-requests'
      order by next_attempt_at
      limit ${limit}
      for update skip locked
    )
    update outbox set attempts = attempts + 1,
                      next_attempt_at = now() + make_interval(secs => ${sweepLeaseSeconds})
    from due where outbox.message_id = due.message_id
    returning outbox.message_id as "messageId", tenant_id as "tenantId", destination, envelope, traceparent, attempts`;
}

/** A row as whoever sends it has claimed it. */
export type ClaimedRow = Pick<OutboxRow, 'messageId' | 'attempts'>;

/**
 * Records that the messages are sent, where the rows still are as they were claimed: a consumer may be so fast that it
 * has made its message due again before this comes, and that one is not sent yet.
 */
export async function recordPublished(sql: Sql, rows: readonly ClaimedRow[]): Promise<void> {
  await sql`
    update outbox set published_at = now(), last_error = null
    from (${givenRows(sql, rows.map(claimOf), claimedColumns(sql))}) as sent
    where message_id = sent."messageId" and outbox.attempts = sent.attempts and published_at is null`;
}

const claimedColumns = keptFragment((sql) => sql`"messageId" uuid, attempts integer`);

const claimOf = ({ messageId, attempts }: ClaimedRow): ClaimedRow => ({ messageId, attempts });

/** A row that could not be published, and when it is to be tried again. */
export type PublishFailure = ClaimedRow & {
  readonly error: string;
  readonly retryInMs: number;
};

export async function recordPublishFailures(
  sql: Sql,
  failures: readonly PublishFailure[],
): Promise<void> {
  await sql`
    update outbox set last_error = failure.error,
                      next_attempt_at = now() + failure."retryInMs" * interval '1 millisecond'
    from (
      ${givenRows(sql, failures, sql`"messageId" uuid, attempts integer, error text, "retryInMs" double precision`)}
    ) as failure
    where message_id = failure."messageId" and outbox.attempts = failure.attempts and published_at is null`;
}

export type OutboxLag = { readonly waiting: number; readonly oldestSeconds: number };

/** How many rows are due and not published, and for how long the oldest of them has been. */
export async function outboxLag(sql: Sql): Promise<OutboxLag> {
  const [row] = await sql<OutboxLag[]>`
    select count(*)::integer as waiting,
           coalesce(extract(epoch from now() - min(next_attempt_at)), 0)::double precision as "oldestSeconds"
    from outbox where published_at is null and next_attempt_at <= now()`;
  return row ?? { waiting: 0, oldestSeconds: 0 };
}
