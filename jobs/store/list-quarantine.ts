import type { Sql } from './connect.ts';
import type { QuarantiningQueue } from './quarantine.ts';

/** A message that can never be worked on as it is, kept whole. */
export type QuarantinedMessage = {
  readonly quarantineId: string;
  readonly queue: QuarantiningQueue;
  readonly sqsMessageId: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly code: string;
  readonly reason: string;
  readonly receiveCount: number;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  readonly resolution: 'redriven' | 'discarded' | null;
  readonly resolvedAt: Date | null;
  readonly resolvedBy: string | null;
};

export type QuarantineFilter = {
  readonly ids?: readonly string[] | undefined;
  readonly queue?: string | undefined;
  readonly code?: string | undefined;
  readonly resolved: boolean;
};

/** Newest first; ids are uuidv7, so `before` an id is older than it. */
export async function listQuarantine(
  sql: Sql,
  filter: QuarantineFilter,
  page: { readonly limit: number; readonly before?: string | undefined },
): Promise<QuarantinedMessage[]> {
  const { ids, queue, code, resolved } = filter;
  return await sql<QuarantinedMessage[]>`
    select quarantine_id as "quarantineId", queue, sqs_message_id as "sqsMessageId", body, attributes, code, reason,
           receive_count as "receiveCount", first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt", resolution,
           resolved_at as "resolvedAt", resolved_by as "resolvedBy"
    from quarantined_messages
    where (resolution is not null) = ${resolved}
      ${ids === undefined ? sql`` : sql`and quarantine_id in (select id::uuid from jsonb_array_elements_text(${sql.json([...ids])}) as id)`}
      ${queue === undefined ? sql`` : sql`and queue = ${queue}`}
      ${code === undefined ? sql`` : sql`and code = ${code}`}
      ${page.before === undefined ? sql`` : sql`and quarantine_id < ${page.before}`}
    order by quarantine_id desc limit ${page.limit}`;
}

/** Marks messages as dealt with; gives the ids of those that nobody had dealt with before. */
export async function resolveQuarantined(
  sql: Sql,
  ids: readonly string[],
  resolution: 'redriven' | 'discarded',
  actor: string,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    update quarantined_messages set resolution = ${resolution}, resolved_at = now(), resolved_by = ${actor}
    where quarantine_id in (select id::uuid from jsonb_array_elements_text(${sql.json([...ids])}) as id)
      and resolution is null
    returning quarantine_id as id`;
  return rows.map(({ id }) => id);
}

export async function countQuarantined(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from quarantined_messages where resolution is null`;
  return row?.count ?? 0;
}
