import type { Sql } from './connect.ts';

export type InboxCounts = {
  /** Messages taken in within the last hour. */
  readonly lastHour: number;
  /** Deliveries of those beyond their first: what the inbox made one. */
  readonly duplicates: number;
  readonly processing: number;
  readonly failedRetryable: number;
  readonly failedTerminal: number;
};

/** What the inbox took in within the last hour; a scan of its newest blocks. */
export async function countInbox(sql: Sql): Promise<InboxCounts> {
  const [row] = await sql<InboxCounts[]>`
    select count(*)::integer as "lastHour", coalesce(sum(deliveries - attempts) filter (where deliveries > attempts), 0)::integer as duplicates,
           (count(*) filter (where status = 'PROCESSING'))::integer as processing,
           (count(*) filter (where status = 'FAILED_RETRYABLE'))::integer as "failedRetryable",
           (count(*) filter (where status = 'FAILED_TERMINAL'))::integer as "failedTerminal"
    from worker_inbox where first_seen_at > now() - interval '1 hour'`;
  return (
    row ?? { lastHour: 0, duplicates: 0, processing: 0, failedRetryable: 0, failedTerminal: 0 }
  );
}

/**
 * For how long the oldest message has lain in job-requests: SQS tells its depth only, so it is the oldest PENDING job
 * whose message was published and not taken in yet. null where there is none.
 */
export async function oldestUnreceivedSeconds(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ seconds: number | null }[]>`
    select extract(epoch from now() - min(published_at))::double precision as seconds
    from (select job_id, tenant_id from jobs where status = 'PENDING' order by created_at limit 200) pending
    join outbox using (job_id)
    where published_at is not null and not exists (
      select from worker_inbox inbox
      where inbox.tenant_id = pending.tenant_id and inbox.idempotency_key = envelope ->> 'idempotencyKey')`;
  return row?.seconds ?? null;
}
