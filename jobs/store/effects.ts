import { randomUUID } from 'node:crypto';
import type { PendingQuery, Row } from 'postgres';
import type { EffectPolicy } from '../config.ts';
import type { EffectId, TenantId } from '../ids.ts';
import { newEffectId } from '../ids.ts';
import type { Sql } from './connect.ts';
import { type Fence, heldBy } from './open-run.ts';

export type EffectStatus =
  | 'INTENDED'
  | 'CALLING'
  | 'COMPLETED'
  | 'REJECTED'
  | 'UNKNOWN'
  | 'ABANDONED';

/** What a provider answered, as it is kept: `body` is bounded and storable, and may be cut. */
export type ProviderResponse = { readonly status: number; readonly body: string };

/** A row of external_effects as a decision needs it; times are relative to the database's clock. */
export type EffectRow = {
  readonly effectId: EffectId;
  readonly status: EffectStatus;
  readonly requestHash: string;
  readonly executionName: string;
  readonly redriveCount: number;
  readonly leaseToken: string | null;
  /** Since when the lease is over, in ms: negative while it lives, null where there is none. */
  readonly leaseOverMs: number | null;
  /** How long the provider asked us to wait from now, in ms; null or not positive: not at all. */
  readonly retryInMs: number | null;
  readonly attempts: number;
  readonly providerReference: string | null;
  readonly response: ProviderResponse | null;
  readonly lastError: string | null;
};

/** What is to be done, and on whose behalf; the row is unique by tenant and `effectKey`. */
export type Intention = {
  readonly fence: Fence;
  readonly tenantId: TenantId;
  readonly effectKey: string;
  readonly provider: string;
  readonly operation: string;
  readonly policy: EffectPolicy;
  readonly requestHash: string;
  readonly leaseMs: number;
  /**
   * A statement part that is committed with the intention, by whoever writes it first: it selects from `fence`
   * (job_id, tenant_id), and must change nothing when it comes again.
   */
  readonly alongside?: (sql: Sql) => PendingQuery<Row[]>;
  /** The effect belongs to an event, and is done whatever became of the job: its status and fence are not asked. */
  readonly outlivesJob?: true;
};

const heldFor = (sql: Sql, { fence, outlivesJob }: Intention) =>
  outlivesJob === true
    ? sql`select job_id, tenant_id from jobs where job_id = ${fence.jobId} for share`
    : heldBy(sql, fence);

/** The right to call the provider now, until the lease is over or somebody else takes a new token. */
export type Lease = { readonly effectId: EffectId; readonly token: string };

/**
 * Commits the intention and takes its first lease in one statement, because the call follows at once.
 * Gives undefined where the row is there already, or the fence does not hold.
 */
export async function insertCalling(sql: Sql, intention: Intention): Promise<Lease | undefined> {
  const { fence, effectKey, provider, operation, policy, requestHash, leaseMs } = intention;
  const lease = { effectId: newEffectId(), token: randomUUID() };
  const rows = await sql`
    with fence as (${heldFor(sql, intention)}),
    alongside as (${intention.alongside?.(sql) ?? sql`select`})
    insert into external_effects
      (effect_id, tenant_id, effect_key, job_id, execution_name, redrive_count, provider, operation, policy,
       status, request_hash, lease_token, lease_until, attempts)
    select ${lease.effectId}, tenant_id, ${effectKey}, job_id, ${fence.executionName}, ${fence.redriveCount},
           ${provider}, ${operation}, ${policy}, 'CALLING', ${requestHash},
           ${lease.token}, now() + ${leaseMs}::float8 * interval '1 millisecond', 1
    from fence
    on conflict (tenant_id, effect_key) do nothing
    returning effect_id`;
  return rows.length === 1 ? lease : undefined;
}

/** The row, where the fence holds; undefined where it does not, or there is no row. */
export async function readEffect(sql: Sql, intention: Intention): Promise<EffectRow | undefined> {
  const [row] = await sql<EffectRow[]>`
    with fence as (${heldFor(sql, intention)})
    select ${columns(sql)} from external_effects
    where effect_key = ${intention.effectKey} and tenant_id = (select tenant_id from fence)`;
  return row;
}

/**
 * Takes a fresh lease on a row that was seen INTENDED, or CALLING with a dead lease, if it still is as it was
 * seen. Gives undefined where somebody else was faster or the fence does not hold: read again and decide anew.
 */
export async function takeEffect(
  sql: Sql,
  intention: Intention,
  seen: EffectRow,
): Promise<Lease | undefined> {
  const { fence, policy, leaseMs } = intention;
  const token = randomUUID();
  const rows = await sql`
    with fence as (${heldFor(sql, intention)})
    update external_effects as effect set
      status = 'CALLING', lease_token = ${token}, lease_until = now() + ${leaseMs}::float8 * interval '1 millisecond',
      job_id = fence.job_id, execution_name = ${fence.executionName}, redrive_count = ${fence.redriveCount},
      policy = ${policy}, attempts = attempts + 1, retry_at = null, last_error = null, updated_at = now()
    from fence
    where effect_id = ${seen.effectId} and ${unchanged(sql, seen)}
      and (status = 'INTENDED' or (status = 'CALLING' and lease_until <= now()))
    returning effect_id`;
  return rows.length === 1 ? { effectId: seen.effectId, token } : undefined;
}

/** Nobody took the row since it was seen: a taker leaves a token of its own. */
const unchanged = (sql: Sql, seen: EffectRow) => sql`
  status = ${seen.status} and lease_token is not distinct from ${seen.leaseToken}::uuid
  and attempts = ${seen.attempts}`;

/** Marks a row, seen CALLING with a dead lease, as one whose outcome a person has to find out. */
export async function holdEffect(
  sql: Sql,
  intention: Intention,
  seen: EffectRow,
  why: string,
): Promise<boolean> {
  const rows = await sql`
    with fence as (${heldFor(sql, intention)})
    update external_effects set
      status = 'UNKNOWN', lease_token = null, lease_until = null, last_error = ${why}, updated_at = now()
    from fence
    where effect_id = ${seen.effectId} and ${unchanged(sql, seen)} and lease_until <= now()
    returning effect_id`;
  return rows.length === 1;
}

export type Completion = {
  readonly reference: string | null;
  readonly response: ProviderResponse | null;
};

/**
 * Records that the provider did it: true about the world, whoever holds the lease and whatever became of the job.
 * So it is written to any row that is not COMPLETED already. Gives the row's completion, ours or an earlier one.
 */
export async function recordCompleted(
  sql: Sql,
  effectId: EffectId,
  done: Completion,
): Promise<Completion> {
  const [row] = await sql<Completion[]>`
    with recorded as (
      update external_effects set
        status = 'COMPLETED', lease_token = null, lease_until = null, retry_at = null, last_error = null,
        provider_reference = ${done.reference}, response = ${json(sql, done.response)}::jsonb,
        completed_at = now(), updated_at = now()
      where effect_id = ${effectId} and status <> 'COMPLETED'
      returning provider_reference, response
    )
    select provider_reference as reference, response from recorded
    union all
    select provider_reference as reference, response from external_effects
    where effect_id = ${effectId} and status = 'COMPLETED' and not exists (select from recorded)`;
  return row ?? done;
}

/** How a call ended that is not known to have done anything. */
export type Setback = {
  /**
   * CALLING: not known; the next attempt asks or calls again, as the policy says. The lease is given back, but for
   * `lookup` it stands: what was sent may still be at work at the provider's, and a "not found" counts from its end.
   */
  readonly status: 'INTENDED' | 'CALLING' | 'REJECTED' | 'UNKNOWN';
  readonly error: string;
  readonly response: ProviderResponse | null;
  readonly retryAfterSeconds: number | null;
};

/** Records a setback under the lease's token. Gives false where the token is lost: then nothing changes. */
export async function recordSetback(sql: Sql, lease: Lease, setback: Setback): Promise<boolean> {
  const keepsLease = setback.status === 'CALLING';
  const rows = await sql`
    update external_effects set
      status = ${setback.status},
      lease_token = case when ${keepsLease} then lease_token end,
      lease_until = case when ${keepsLease} then case policy when 'lookup' then lease_until else least(lease_until, now()) end end,
      retry_at = now() + ${setback.retryAfterSeconds}::float8 * interval '1 second',
      last_error = ${setback.error}, response = ${json(sql, setback.response)}::jsonb, updated_at = now()
    where effect_id = ${lease.effectId} and lease_token = ${lease.token} and status = 'CALLING'
    returning effect_id`;
  return rows.length === 1;
}

/** The provider, asked, knows nothing of a call whose lease is long over: it may be called again. */
export async function recordNotFound(sql: Sql, seen: EffectRow): Promise<boolean> {
  const rows = await sql`
    update external_effects set
      status = 'INTENDED', lease_token = null, lease_until = null, updated_at = now()
    where effect_id = ${seen.effectId} and ${unchanged(sql, seen)} and lease_until <= now()
    returning effect_id`;
  return rows.length === 1;
}

const json = (sql: Sql, value: ProviderResponse | null) =>
  value === null ? null : sql.json(value);

const columns = (sql: Sql) => sql`
  effect_id as "effectId", status, request_hash as "requestHash", execution_name as "executionName",
  redrive_count as "redriveCount", lease_token as "leaseToken",
  (extract(epoch from now() - lease_until) * 1000)::float8 as "leaseOverMs",
  (extract(epoch from retry_at - now()) * 1000)::float8 as "retryInMs",
  attempts, provider_reference as "providerReference", response, last_error as "lastError"`;
