import type { JobId, MessageId, TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** A completion that somebody is to be told of, in the hands of whoever tells it now. */
export type Completion = {
  readonly messageId: MessageId;
  readonly tenantId: TenantId;
  readonly url: string;
  /** The host of the URL, with its port. */
  readonly receiver: string;
  readonly attempts: number;
  /** For how long it has been tried, in hours. */
  readonly ageHours: number;
  /** Under which the run ended that is told of; the job may have been redriven since. */
  readonly executionName: string;
  readonly redriveCount: number;
  readonly payload: {
    readonly jobId: JobId;
    readonly type: string;
    readonly run: number;
    readonly status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
    readonly finishedAt: string;
  };
};

/** How many completions may be in hand, and who has them. */
export type Places = {
  readonly free: number;
  readonly perTenant: number;
  readonly perReceiver: number;
  readonly inHand: readonly Pick<Completion, 'tenantId' | 'receiver'>[];
};

/** Longer than a delivery may take, so that nobody takes what somebody else still tells. */
export const completionLeaseSeconds = 60;

/**
 * Takes due completions, one lease each, the longest due first: as many as there are places for, over all, for each
 * tenant and for each receiver. Several workers never take the same one.
 *
 * The index is entered once for each line, which is a tenant's completions for one receiver, and read as far as there are
 * places: how long a line has become costs nothing. How many there are does: some 6 µs each, also where nothing is due yet.
 */
export async function claimCompletions(sql: Sql, places: Places): Promise<Completion[]> {
  const { free, perTenant, perReceiver, inHand } = places;
  const tenants = countBy(inHand.map(({ tenantId }) => tenantId));
  const receivers = countBy(inHand.map(({ receiver }) => receiver));
  return await sql<Completion[]>`
    with recursive lines as (
      (select tenant_id, receiver from outbox where ${isOpen(sql)} order by tenant_id, receiver limit 1)
      union all
      select next.* from lines cross join lateral (
        select tenant_id, receiver from outbox
        where ${isOpen(sql)} and (tenant_id, receiver) > (lines.tenant_id, lines.receiver)
        order by tenant_id, receiver limit 1
      ) as next
    ),
    due as (
      select due_in_line.* from lines cross join lateral (
        select message_id, tenant_id, receiver, next_attempt_at from outbox
        where ${isOpen(sql)} and tenant_id = lines.tenant_id and receiver = lines.receiver and next_attempt_at <= now()
        order by next_attempt_at limit ${perReceiver}
      ) as due_in_line
      where not ${sql.json(namesOfFull(tenants, perTenant))}::jsonb ? lines.tenant_id
        and not ${sql.json(namesOfFull(receivers, perReceiver))}::jsonb ? lines.receiver
    ),
    ranked as (
      select message_id, next_attempt_at,
             row_number() over (partition by tenant_id order by next_attempt_at, message_id)
               + coalesce((${sql.json(tenants)}::jsonb ->> tenant_id)::integer, 0) as of_tenant,
             row_number() over (partition by receiver order by next_attempt_at, message_id)
               + coalesce((${sql.json(receivers)}::jsonb ->> receiver)::integer, 0) as of_receiver
      from due
    ),
    chosen as (
      select message_id from ranked
      where of_tenant <= ${perTenant} and of_receiver <= ${perReceiver}
      order by next_attempt_at
      limit ${free}
    ),
    locked as (
      -- One by one by their key: what the planner believes is due may be of the days when nothing was, and then it would
      -- rather read all that is due.
      select held.message_id from chosen cross join lateral (
        select message_id, published_at, next_attempt_at from outbox
        where message_id = chosen.message_id limit 1 for update skip locked
      ) as held
      where published_at is null and next_attempt_at <= now()
    ),
    taken as (
      update outbox set attempts = attempts + 1,
                        next_attempt_at = now() + make_interval(secs => ${completionLeaseSeconds})
      from locked where outbox.message_id = locked.message_id
      returning outbox.*
    )
    select message_id as "messageId", taken.tenant_id as "tenantId", callback_url as url, receiver, attempts,
           extract(epoch from now() - taken.created_at)::float8 / 3600 as "ageHours",
           -- Not in the messages of older versions.
           coalesce(envelope #>> '{payload,executionName}', execution_name) as "executionName",
           coalesce((envelope #>> '{payload,redriveCount}')::integer, redrive_count) as "redriveCount",
           envelope -> 'payload' as payload
    from taken join jobs using (job_id)`;
}

/** As the index outbox_completions_due has it. */
const isOpen = (sql: Sql) => sql`published_at is null and destination = 'webhook'`;

function countBy(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}

const namesOfFull = (counts: Record<string, number>, most: number): string[] =>
  Object.entries(counts).flatMap(([name, count]) => (count >= most ? [name] : []));

/** It was told, or will never be: the message has nothing more to ask for. */
export async function closeCompletion(
  sql: Sql,
  { messageId }: Completion,
  why: string | null,
): Promise<void> {
  await sql`
    update outbox set published_at = now(), last_error = ${why}
    where message_id = ${messageId} and published_at is null`;
}

/** It is to be told again; not where somebody else has taken it meanwhile. */
export async function putOffCompletion(
  sql: Sql,
  { messageId, attempts }: Completion,
  why: string,
  retryInMs: number,
): Promise<void> {
  await sql`
    update outbox set last_error = ${why},
                      next_attempt_at = now() + ${retryInMs}::float8 * interval '1 millisecond'
    where message_id = ${messageId} and attempts = ${attempts} and published_at is null`;
}
