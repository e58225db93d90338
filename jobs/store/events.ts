import type { PendingQuery, Row } from 'postgres';
import { catalogue, type EventEnvelope, type EventType } from '../events/catalogue.ts';
import type { MessageId, TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

/**
 * The statement part that announces what the same statement does: one event for each row of `about`, which gives
 * `tenant_id, job_id, aggregate_id, aggregate_version, data`. It is committed with it, or not at all.
 */
export function announcing(
  sql: Sql,
  type: EventType,
  about: PendingQuery<Row[]>,
): PendingQuery<Row[]> {
  const { version, aggregate, producer } = catalogue[type];
  return sql`
    insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope)
    select event_id, tenant_id, 'event-bus', ${type}, job_id, jsonb_build_object(
      'eventId', event_id, 'type', ${type}::text, 'version', ${version}::integer,
      'occurredAt', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'tenantId', tenant_id,
      'aggregate', jsonb_build_object('type', ${aggregate}::text, 'id', aggregate_id, 'version', aggregate_version),
      'correlationId', correlation_id, 'causationId', job_id, 'producer', ${producer}::text, 'data', data)
    from (
      select gen_random_uuid() as event_id, about.*, correlation_id
      from (${about}) as about join jobs using (tenant_id, job_id)
    ) as event`;
}

/** An event in the hands of whoever publishes it now. */
export type EventRow = {
  readonly messageId: MessageId;
  readonly tenantId: TenantId;
  readonly envelope: EventEnvelope;
  readonly attempts: number;
};

const publishLeaseSeconds = 30;

/** Takes up to `limit` due events, one lease each; several publishers never take the same one. */
export async function claimEvents(sql: Sql, limit: number): Promise<EventRow[]> {
  return await sql<EventRow[]>`
    with due as (
      select message_id from outbox
      where published_at is null and next_attempt_at <= now() and destination = 'event-bus'
      order by next_attempt_at
      limit ${limit}
      for update skip locked
    )
    update outbox set attempts = attempts + 1,
                      next_attempt_at = now() + make_interval(secs => ${publishLeaseSeconds})
    from due where outbox.message_id = due.message_id
    returning outbox.message_id as "messageId", tenant_id as "tenantId", envelope, attempts`;
}

/** Whether the handler has done with this event. */
export async function isHandled(sql: Sql, eventId: string, handler: string): Promise<boolean> {
  const rows = await sql`
    select from event_inbox where event_id = ${eventId} and handler = ${handler}`;
  return rows.length === 1;
}

/** Records what a handler did with an event; the first word stands. */
export async function recordHandled(
  sql: Sql,
  eventId: string,
  handler: string,
  outcome: string,
): Promise<void> {
  await sql`
    insert into event_inbox (event_id, handler, outcome) values (${eventId}, ${handler}, ${outcome})
    on conflict do nothing`;
}
