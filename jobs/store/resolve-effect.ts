import type { EffectId, JobId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** What a person found out about an effect that is held. */
export type Verdict = 'completed' | 'not-done' | 'abandon';

export type Resolution = {
  readonly verdict: Verdict;
  /** What the provider calls the thing it did; only with `completed`. */
  readonly providerReference: string | null;
  readonly reason: string;
  /** Who says so; stands in the job's audit trail. */
  readonly actor: string;
};

const statusOf = {
  completed: 'COMPLETED',
  'not-done': 'INTENDED',
  abandon: 'ABANDONED',
} as const satisfies Record<Verdict, string>;

/**
 * Writes a person's verdict on an effect whose outcome is not known (UNKNOWN, or CALLING with a dead lease) and its
 * row in the audit trail, in one statement; the job goes on by a redrive. Gives the effect's job, or undefined
 * where there is nothing (any more) to resolve.
 */
export async function resolveEffect(
  sql: Sql,
  effectId: EffectId,
  resolution: Resolution,
): Promise<JobId | undefined> {
  const { verdict, providerReference, reason, actor } = resolution;
  const status = statusOf[verdict];
  const [row] = await sql<{ jobId: JobId }[]>`
    with resolved as (
      update external_effects set
        status = ${status}, lease_token = null, lease_until = null,
        provider_reference = coalesce(${providerReference}::text, provider_reference),
        completed_at = case when ${status} = 'COMPLETED' then now() end, updated_at = now()
      where effect_id = ${effectId}
        and (status = 'UNKNOWN' or (status = 'CALLING' and lease_until <= now()))
      returning effect_id, effect_key, job_id
    ),
    audited as (
      insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason, details)
      select jobs.job_id, jobs.tenant_id, run, ${actor}, jobs.status, jobs.status, ${reason}::text,
             jsonb_build_object('effectId', effect_id, 'effectKey', effect_key, 'verdict', ${verdict}::text)
      from resolved join jobs using (job_id)
    )
    select job_id as "jobId" from resolved`;
  return row?.jobId;
}
