import { randomUUID } from 'node:crypto';
import { newEffectId, type EffectId, type JobId, type MessageId, type TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** A completion that somebody is to be told of, in the hands of whoever tells it now. */
export type Completion = {
  readonly messageId: MessageId;
  readonly tenantId: TenantId;
  readonly url: string;
  readonly attempts: number;
  /** For how long it has been tried, in hours. */
  readonly ageHours: number;
  readonly payload: {
    readonly jobId: JobId;
    readonly type: string;
    readonly run: number;
    readonly status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
    readonly finishedAt: string;
  };
};

/** Longer than a call may take, so that nobody calls under a lease that somebody else may take. */
export const completionLeaseSeconds = 60;

/** Takes due completions, one lease each; several workers never take the same one. */
export async function claimCompletions(sql: Sql, limit: number): Promise<Completion[]> {
  return await sql<Completion[]>`
    with due as (
      select message_id from outbox
      where published_at is null and next_attempt_at <= now() and destination = 'webhook'
      order by next_attempt_at
      limit ${limit}
      for update skip locked
    ),
    taken as (
      update outbox set attempts = attempts + 1,
                        next_attempt_at = now() + make_interval(secs => ${completionLeaseSeconds})
      from due where outbox.message_id = due.message_id
      returning outbox.*
    )
    select message_id as "messageId", taken.tenant_id as "tenantId", callback_url as url, attempts,
           extract(epoch from now() - taken.created_at)::float8 / 3600 as "ageHours", envelope -> 'payload' as payload
    from taken join jobs using (job_id)`;
}

export const completionEffectKey = ({ payload }: Completion): string =>
  `job:${payload.jobId}:${payload.run}:callback`;

export type Lease = { readonly effectId: EffectId; readonly token: string };

/**
 * Commits the intention to call before the call. Gives undefined where it is done already: nobody is called again.
 * The effect log's own fence does not serve here, because the job is final; the run in the key takes its place.
 */
export async function beginCompletion(
  sql: Sql,
  completion: Completion,
  requestHash: string,
): Promise<Lease | undefined> {
  const token = randomUUID();
  const { jobId } = completion.payload;
  const [row] = await sql<{ effectId: EffectId }[]>`
    insert into external_effects as effect
      (effect_id, tenant_id, effect_key, job_id, execution_name, redrive_count, provider, operation, policy, status,
       request_hash, lease_token, lease_until, attempts)
    select ${newEffectId()}, tenant_id, ${completionEffectKey(completion)}, job_id, execution_name, redrive_count,
           'callback', 'job-completed', 'repeat', 'CALLING', ${requestHash}, ${token},
           now() + make_interval(secs => ${completionLeaseSeconds}), 1
    from jobs where job_id = ${jobId}
    on conflict (tenant_id, effect_key) do update set
      status = 'CALLING', lease_token = excluded.lease_token, lease_until = excluded.lease_until,
      attempts = effect.attempts + 1, updated_at = now()
    where effect.status = 'INTENDED' or (effect.status = 'CALLING' and effect.lease_until <= now())
    returning effect_id as "effectId"`;
  return row === undefined ? undefined : { effectId: row.effectId, token };
}

/** How a call ended: told, given up, or to be tried again. */
export type Delivery =
  | { readonly kind: 'delivered'; readonly status: number }
  | { readonly kind: 'given-up'; readonly why: string }
  | { readonly kind: 'later'; readonly why: string; readonly retryInMs: number };

/** Records a call's end on the effect, under its lease's token, and on the message, in one statement. */
export async function recordDelivery(
  sql: Sql,
  { messageId }: Completion,
  lease: Lease,
  delivery: Delivery,
): Promise<void> {
  const status = { delivered: 'COMPLETED', 'given-up': 'REJECTED', later: 'INTENDED' }[
    delivery.kind
  ];
  const why = delivery.kind === 'delivered' ? null : delivery.why;
  const response =
    delivery.kind === 'delivered' ? sql.json({ status: delivery.status, body: '' }) : null;
  const retryInMs = delivery.kind === 'later' ? delivery.retryInMs : null;
  await sql`
    with effect as (
      update external_effects set status = ${status}, lease_token = null, lease_until = null, last_error = ${why},
        response = ${response}::jsonb, updated_at = now(),
        completed_at = case when ${status} = 'COMPLETED' then now() end
      where effect_id = ${lease.effectId} and lease_token = ${lease.token}
      returning effect_id
    )
    update outbox set last_error = ${why},
      published_at = case when ${retryInMs}::float8 is null then now() end,
      next_attempt_at = coalesce(now() + ${retryInMs}::float8 * interval '1 millisecond', next_attempt_at)
    from effect where message_id = ${messageId}`;
}

/** The effect was done by somebody else: the message has nothing more to ask for. Not while it is being called. */
export async function closeDoneCompletion(sql: Sql, completion: Completion): Promise<void> {
  await sql`
    update outbox set published_at = now()
    from external_effects as effect
    where message_id = ${completion.messageId} and effect.tenant_id = outbox.tenant_id
      and effect_key = ${completionEffectKey(completion)} and effect.status in ('COMPLETED', 'REJECTED', 'ABANDONED')`;
}
