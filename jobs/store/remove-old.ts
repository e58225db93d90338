import type { JobId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** A job with all that is written about it, as it is archived. */
export type OldJob = {
  readonly jobId: JobId;
  readonly createdAt: Date;
  readonly line: unknown;
};

/**
 * A job may go when it has been final for long, its execution is known to be closed, all its messages are sent (one that
 * still waits for its turn in an ordering key asks for nothing of a final job), no job of its ordering key waits for it,
 * no bulk operation is about to take it, and no effect or answer of it waits for a person.
 */
const mayGo = (sql: Sql, days: number) => sql`
  status in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED') and finished_at < now() - make_interval(days => ${days})
  and owner_until is null and not exists (select from ordering_keys where current_job = jobs.job_id)
  and not exists (select from outbox where outbox.job_id = jobs.job_id and published_at is null and next_attempt_at < 'infinity')
  and not exists (
    select from bulk_operation_jobs join bulk_operations using (bulk_id)
    where bulk_operation_jobs.job_id = jobs.job_id and outcome is null and bulk_operations.ended_at is null)
  and not exists (select from external_effects x where x.job_id = jobs.job_id and x.status = 'UNKNOWN')
  and not exists (
    select from callbacks where callbacks.job_id = jobs.job_id and held_at is not null and resolved_at is null)`;

/** The oldest jobs that may go, with their events, effects and callbacks; walks the index of creation from its old end. */
export async function findOldJobs(sql: Sql, days: number, limit: number): Promise<OldJob[]> {
  return await sql<OldJob[]>`
    select jobs.job_id as "jobId", created_at as "createdAt", jsonb_build_object(
      'job', to_jsonb(jobs),
      'events', (select coalesce(jsonb_agg(to_jsonb(e) order by event_no), '[]') from job_events e where e.job_id = jobs.job_id),
      'effects', (select coalesce(jsonb_agg(to_jsonb(x) order by x.created_at), '[]') from external_effects x where x.job_id = jobs.job_id),
      'callbacks', (select coalesce(jsonb_agg(to_jsonb(c) - 'task_token' order by c.created_at), '[]') from callbacks c where c.job_id = jobs.job_id)
    ) as line
    from jobs
    where created_at < now() - make_interval(days => ${days}) and ${mayGo(sql, days)}
    order by created_at limit ${limit}`;
}

/** Removes jobs that still may go, with their events and messages, in one statement; gives how many went. */
export async function removeJobs(
  sql: Sql,
  jobIds: readonly JobId[],
  days: number,
): Promise<number> {
  const [row] = await sql<{ removed: number }[]>`
    with gone as (
      delete from jobs
      where job_id in (select id::uuid from jsonb_array_elements_text(${sql.json([...jobIds])}) as id) and ${mayGo(sql, days)}
      returning job_id
    ),
    events as (delete from job_events using gone where job_events.job_id = gone.job_id),
    messages as (delete from outbox using gone where outbox.job_id = gone.job_id),
    answers as (delete from callbacks using gone where callbacks.job_id = gone.job_id)
    select count(*)::integer as removed from gone`;
  return row?.removed ?? 0;
}

/** SQS keeps a message for 14 days at most: after them no copy can come that the inbox would have to know. */
const leastInboxDays = 15;

export const removeInbox = async (sql: Sql, days: number, limit: number): Promise<number> =>
  (
    await sql`
      delete from worker_inbox where ctid in (
        select ctid from worker_inbox
        where first_seen_at < now() - make_interval(days => ${Math.max(days, leastInboxDays)})
          and status in ('COMPLETED', 'FAILED_TERMINAL')
        limit ${limit} for update skip locked)`
  ).count;

/** What event handlers have done: an event that comes again later than that counts as a new one. */
export const removeEventInbox = async (sql: Sql, days: number, limit: number): Promise<number> =>
  (
    await sql`
      delete from event_inbox where ctid in (
        select ctid from event_inbox where handled_at < now() - make_interval(days => ${Math.max(days, leastInboxDays)})
        limit ${limit} for update skip locked)`
  ).count;

/** Effects that are over, of jobs that are gone: from then on the same key would be called again. */
export const removeEffects = async (sql: Sql, days: number, limit: number): Promise<number> =>
  (
    await sql`
      delete from external_effects where effect_id in (
        select effect_id from external_effects e
        where created_at < now() - make_interval(days => ${days}) and updated_at < now() - make_interval(days => ${days})
          and status in ('COMPLETED', 'REJECTED', 'ABANDONED')
          and not exists (select from jobs where jobs.job_id = e.job_id)
        limit ${limit} for update skip locked)`
  ).count;

/** Quarantined messages that were dealt with, and the jobs of bulk operations that have ended. */
export const removeDealtWith = async (sql: Sql, days: number, limit: number): Promise<number> => {
  const quarantined = await sql`
    delete from quarantined_messages where quarantine_id in (
      select quarantine_id from quarantined_messages
      where resolved_at < now() - make_interval(days => ${days}) limit ${limit} for update skip locked)`;
  const bulk = await sql`
    delete from bulk_operation_jobs where (bulk_id, position) in (
      select bulk_id, position from bulk_operations join bulk_operation_jobs using (bulk_id)
      where bulk_operations.ended_at < now() - make_interval(days => ${days}) limit ${limit})`;
  return Math.max(quarantined.count, bulk.count);
};

/** What operators did and what was refused; and workers that vanished a day ago. */
export const removeAudit = async (sql: Sql, days: number, limit: number): Promise<number> => {
  await sql`delete from workers where seen_at < now() - interval '1 day'`;
  const actions = await sql`
    delete from operator_actions where action_no in (
      select action_no from operator_actions
      where at < now() - make_interval(days => ${days}) order by action_no limit ${limit} for update skip locked)`;
  const refusals = await sql`
    delete from refusals where refusal_no in (
      select refusal_no from refusals
      where first_at < now() - make_interval(days => ${days}) order by first_at limit ${limit} for update skip locked)`;
  return Math.max(actions.count, refusals.count);
};
