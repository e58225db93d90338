import type { JobId } from '../ids.ts';
import type { MessageName } from '../message-name.ts';
import type { Sql } from './connect.ts';

/** What is known of a message that lies in a dead-letter queue. */
export type MessageFate = {
  readonly jobId: JobId;
  readonly jobStatus: string | null;
  readonly inboxStatus: string | null;
  readonly inboxOutcome: string | null;
  readonly inboxUpdatedAt: Date | null;
};

/** Looks up the jobs and inbox rows of messages; one row for each, in any order. */
export async function findMessageFates(
  sql: Sql,
  messages: readonly MessageName[],
): Promise<(MessageFate & MessageName)[]> {
  if (messages.length === 0) return [];
  return await sql<(MessageFate & MessageName)[]>`
    select message."jobId", message."idempotencyKey", jobs.status as "jobStatus", inbox.status as "inboxStatus",
           inbox.outcome as "inboxOutcome", inbox.updated_at as "inboxUpdatedAt"
    from jsonb_to_recordset(${sql.json(messages)}) as message("jobId" uuid, "idempotencyKey" text)
    left join jobs on jobs.job_id = message."jobId"
    left join worker_inbox inbox
      on inbox.tenant_id = jobs.tenant_id and inbox.idempotency_key = message."idempotencyKey"`;
}
