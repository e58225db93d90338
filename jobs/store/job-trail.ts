import type { JobId, TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** What a job was asked to do, and by which names it is known elsewhere. */
export type JobRequestView = {
  readonly tenantId: TenantId;
  readonly idempotencyKey: string | null;
  readonly requestHash: string;
  readonly correlationId: string;
  readonly traceparent: string | null;
  readonly orderingKey: string | null;
  readonly uniqueKey: string | null;
  readonly callbackUrl: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly input: unknown;
  readonly payloadRef: unknown;
  readonly payloadPin: unknown;
  readonly notBefore: Date | null;
  readonly expiresAt: Date | null;
  readonly ownerUntil: Date | null;
};

export async function findJobRequest(sql: Sql, jobId: JobId): Promise<JobRequestView | undefined> {
  const [request] = await sql<JobRequestView[]>`
    select tenant_id as "tenantId", idempotency_key as "idempotencyKey", request_hash as "requestHash",
           correlation_id as "correlationId", traceparent, ordering_key as "orderingKey", unique_key as "uniqueKey",
           callback_url as "callbackUrl", tags, input, payload_ref as "payloadRef", payload_pin as "payloadPin",
           not_before as "notBefore", expires_at as "expiresAt", owner_until as "ownerUntil"
    from jobs where job_id = ${jobId}`;
  return request;
}

/** A line of the audit trail of one job. */
export type TrailEvent = {
  readonly eventNo: string;
  readonly run: number;
  readonly at: Date;
  readonly actor: string;
  readonly from: string | null;
  readonly to: string;
  readonly reason: string;
};

/** A message about the job, from the outbox to what the dispatcher made of it. */
export type TrailMessage = {
  readonly messageId: string;
  readonly messageType: string;
  readonly destination: string;
  readonly createdAt: Date;
  readonly publishedAt: Date | null;
  readonly publishAttempts: number;
  readonly lastError: string | null;
  /** From the inbox; null where nobody has received it yet. */
  readonly receivedAt: Date | null;
  readonly deliveries: number | null;
  readonly handledAt: Date | null;
  readonly inboxStatus: string | null;
  readonly outcome: string | null;
};

/** A job that was redriven very often shows its newest ones. */
const shown = 500;

export async function findTrailEvents(sql: Sql, jobId: JobId): Promise<TrailEvent[]> {
  const newest = await sql<TrailEvent[]>`
    select event_no::text as "eventNo", run, at, actor, from_status as "from", to_status as "to", reason
    from job_events where job_id = ${jobId} order by event_no desc limit ${shown}`;
  return newest.toReversed();
}

export async function findTrailMessages(
  sql: Sql,
  jobId: JobId,
  tenantId: TenantId,
): Promise<TrailMessage[]> {
  const newest = await sql<TrailMessage[]>`
    select o.message_id as "messageId", o.message_type as "messageType", destination, o.created_at as "createdAt",
           published_at as "publishedAt", o.attempts as "publishAttempts", last_error as "lastError",
           first_seen_at as "receivedAt", deliveries, case when i.status not in ('RECEIVED', 'PROCESSING') then i.updated_at end as "handledAt",
           i.status as "inboxStatus", outcome
    from outbox o
    left join worker_inbox i on i.tenant_id = ${tenantId} and i.idempotency_key = o.envelope ->> 'idempotencyKey'
    where o.job_id = ${jobId} order by o.created_at desc, o.message_id desc limit ${shown}`;
  return newest.toReversed();
}
