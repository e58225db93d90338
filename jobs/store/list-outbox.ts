import type { Sql } from './connect.ts';

/** An outbox row that waits, without its envelope. */
export type WaitingMessage = {
  readonly messageId: string;
  readonly tenantId: string;
  readonly destination: string;
  readonly messageType: string;
  readonly jobId: string | null;
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  readonly lastError: string | null;
  readonly createdAt: Date;
};

/**
 * The rows that are not published, due longest first. Those that wait for their turn in an ordering key are not due
 * and not listed.
 */
export async function listWaitingMessages(sql: Sql, limit: number): Promise<WaitingMessage[]> {
  return await sql<WaitingMessage[]>`
    select message_id as "messageId", tenant_id as "tenantId", destination, message_type as "messageType",
           job_id as "jobId", attempts, next_attempt_at as "nextAttemptAt", last_error as "lastError",
           created_at as "createdAt"
    from outbox where published_at is null and next_attempt_at < 'infinity'
    order by next_attempt_at limit ${limit}`;
}
