import type { EffectId, JobId, TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';
import type { EffectStatus, ProviderResponse } from './effects.ts';
import { type Scope, withinScope } from './find-job.ts';

/** A row of the effect log for a person to read. */
export type EffectView = {
  readonly effectId: EffectId;
  readonly tenantId: TenantId;
  readonly effectKey: string;
  readonly jobId: JobId;
  readonly executionName: string;
  readonly redriveCount: number;
  readonly provider: string;
  readonly operation: string;
  readonly policy: 'repeat' | 'lookup' | 'hold';
  readonly status: EffectStatus;
  readonly providerReference: string | null;
  readonly response: ProviderResponse | null;
  readonly lastError: string | null;
  readonly attempts: number;
  readonly leaseUntil: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly completedAt: Date | null;
};

const columns = (sql: Sql) => sql`
  effect_id as "effectId", tenant_id as "tenantId", effect_key as "effectKey", job_id as "jobId",
  execution_name as "executionName", redrive_count as "redriveCount", provider, operation, policy, status,
  provider_reference as "providerReference", response, last_error as "lastError", attempts,
  lease_until as "leaseUntil", created_at as "createdAt", updated_at as "updatedAt", completed_at as "completedAt"`;

/** A job makes few calls; more than so many are a batch's, and their beginning is shown. */
const mostOfJob = 1_000;

export async function findEffectsOfJob(sql: Sql, jobId: JobId): Promise<EffectView[]> {
  return await sql<EffectView[]>`
    select ${columns(sql)} from external_effects where job_id = ${jobId}
    order by created_at, effect_id limit ${mostOfJob}`;
}

export async function findEffect(
  sql: Sql,
  effectId: EffectId,
  scope: Scope,
): Promise<EffectView | undefined> {
  const [effect] = await sql<EffectView[]>`
    select ${columns(sql)} from external_effects
    where effect_id = ${effectId} and ${withinScope(sql, scope)}`;
  return effect;
}

/** The statuses that a person may have to look at; COMPLETED ones are found by their job. */
export const openEffectStatuses = [
  'UNKNOWN',
  'CALLING',
  'INTENDED',
  'REJECTED',
  'ABANDONED',
] as const;
export type OpenEffectStatus = (typeof openEffectStatuses)[number];

/** The effects of one status, the ones that have stood longest first. */
export async function findOpenEffects(
  sql: Sql,
  wanted: { readonly status: OpenEffectStatus; readonly limit: number; readonly offset: number },
): Promise<EffectView[]> {
  return await sql<EffectView[]>`
    select ${columns(sql)} from external_effects
    where status = ${wanted.status} and status <> 'COMPLETED'
    order by updated_at, effect_id limit ${wanted.limit} offset ${wanted.offset}`;
}
