import type { PendingQuery, Row } from 'postgres';
import type { CallbackAnswer } from '../callback-answer.ts';
import type { Envelope } from '../envelope.ts';
import type { CallbackId, JobId, TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';
import { type Fence, heldBy } from './open-run.ts';
import { firstLeaseSeconds, type OutboxRow } from './outbox.ts';

/** A row of callbacks with its job as it is now. */
export type Callback = {
  readonly callbackId: CallbackId;
  readonly tenantId: TenantId;
  readonly jobId: JobId;
  readonly jobType: string;
  readonly jobStatus: string;
  readonly run: number;
  readonly correlationId: string;
  readonly provider: string;
  readonly effectKey: string;
  readonly executionName: string;
  readonly redriveCount: number;
  readonly taskToken: string;
  readonly tokenNo: number;
  readonly answer: CallbackAnswer | null;
  readonly deliveredAt: Date | null;
  readonly settledAs: string | null;
};

export async function findCallback(
  sql: Sql,
  callbackId: CallbackId,
): Promise<Callback | undefined> {
  const [row] = await sql<Callback[]>`
    select callback_id as "callbackId", callbacks.tenant_id as "tenantId", job_id as "jobId", type as "jobType",
           status as "jobStatus", run, correlation_id as "correlationId", provider, effect_key as "effectKey",
           callbacks.execution_name as "executionName", callbacks.redrive_count as "redriveCount",
           task_token as "taskToken", token_no as "tokenNo", answer, delivered_at as "deliveredAt",
           settled_as as "settledAs"
    from callbacks join jobs using (job_id)
    where callback_id = ${callbackId}`;
  return row;
}

export type NewCallback = {
  readonly callbackId: CallbackId;
  readonly provider: string;
  readonly effectKey: string;
  readonly taskToken: string;
  readonly fence: Fence;
};

/**
 * The statement part that registers a callback; stands beside `fence` in the statement that commits the intention,
 * so that no provider is called whose answer would find nobody. Changes nothing where it is registered already.
 */
export const registering = (sql: Sql, callback: NewCallback) => sql`
  insert into callbacks (callback_id, tenant_id, job_id, provider, effect_key, execution_name, redrive_count, task_token)
  select ${callback.callbackId}, tenant_id, job_id, ${callback.provider}, ${callback.effectKey},
         ${callback.fence.executionName}, ${callback.fence.redriveCount}, ${callback.taskToken}
  from fence
  on conflict do nothing`;

/**
 * Puts the token of a rerun in the place of the old one. Where the answer is there already, its message goes into the
 * outbox with it: the rerun ends at once. Gives whether the answer is there; undefined where nothing is registered
 * yet, or the fence does not hold.
 */
export async function swapToken(
  sql: Sql,
  { callbackId, taskToken, fence }: NewCallback,
  message: Envelope,
): Promise<{ readonly answered: boolean } | undefined> {
  const [row] = await sql<{ answered: boolean }[]>`
    with fence as (${heldBy(sql, fence)}),
    swapped as (
      update callbacks set
        task_token = ${taskToken}, token_no = token_no + 1, execution_name = ${fence.executionName},
        redrive_count = ${fence.redriveCount}, job_id = fence.job_id, delivered_at = null,
        held_at = case when contradiction is not null then held_at end,
        held_reason = case when contradiction is not null then held_reason end,
        resolved_at = case when contradiction is not null then resolved_at end
      from fence
      where callback_id = ${callbackId} and callbacks.tenant_id = fence.tenant_id and settled_as is null
        and task_token <> ${taskToken}
      returning callbacks.tenant_id, callbacks.job_id, answer
    ),
    message as (
      insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope)
      select ${message.messageId}::uuid, tenant_id, 'job-requests', ${message.messageType}, job_id,
             ${sql.json(message)}::jsonb
      from swapped where answer is not null
    )
    select answer is not null as answered from swapped`;
  return row;
}

export type StoredAnswer =
  | { readonly kind: 'stored'; readonly row: OutboxRow }
  /** The same was said before; nothing changed. */
  | { readonly kind: 'duplicate' }
  /** Another answer stands there already: this one is kept beside it, and held for a person. */
  | { readonly kind: 'contradiction' };

/**
 * Stores an answer and the message that brings it to the waiting state, in one statement. An answer also proves that
 * the call it belongs to has arrived: its effect is COMPLETED, whatever our own call came to know.
 */
export async function storeAnswer(
  sql: Sql,
  callback: Callback,
  answer: CallbackAnswer,
  message: Envelope,
  /** Whether the caller publishes the message at once; else the relay's sweep does. */
  publishes: boolean,
): Promise<StoredAnswer> {
  const json = sql.json(answer);
  const [stored] = await sql<(OutboxRow & { contradicts: boolean })[]>`
    with before as (
      select callback_id, answer from callbacks where callback_id = ${callback.callbackId} for update
    ),
    answered as (
      update callbacks set answer = ${json}::jsonb, answered_at = now()
      from before
      where callbacks.callback_id = before.callback_id and before.answer is null
      returning callbacks.tenant_id, job_id, effect_key
    ),
    proven as (
      update external_effects as effect set
        status = 'COMPLETED', lease_token = null, lease_until = null, retry_at = null, last_error = null,
        provider_reference = ${answer.reference}, completed_at = now(), updated_at = now()
      from answered
      where effect.tenant_id = answered.tenant_id and effect.effect_key = answered.effect_key
        and effect.status in ('INTENDED', 'CALLING', 'UNKNOWN')
    ),
    contradicted as (
      update callbacks set contradiction = ${json}::jsonb, held_at = now(), resolved_at = null,
        held_reason = 'the provider had answered ' || (before.answer ->> 'outcome') || ' before'
      from before
      where callbacks.callback_id = before.callback_id and callbacks.contradiction is null
        and before.answer ->> 'outcome' <> ${answer.outcome}
      returning callbacks.tenant_id, job_id, held_reason
    ),
    audited as (
      insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason, details)
      select job_id, tenant_id, run, 'callback', status, status, 'an answer is held: ' || held_reason,
             jsonb_build_object('callbackId', ${callback.callbackId}::text, 'answer', ${json}::jsonb)
      from contradicted join jobs using (job_id, tenant_id)
    )
    insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope, attempts, next_attempt_at)
    select ${message.messageId}::uuid, tenant_id, 'job-requests', ${message.messageType}, job_id,
           ${sql.json(message)}::jsonb, 1, now() + make_interval(secs => ${publishes ? firstLeaseSeconds : 0})
    from answered
    returning message_id as "messageId", tenant_id as "tenantId", destination, envelope, traceparent, attempts`;
  if (stored !== undefined) return { kind: 'stored', row: stored };
  const now = await findCallback(sql, callback.callbackId);
  return now?.answer?.outcome === answer.outcome
    ? { kind: 'duplicate' }
    : { kind: 'contradiction' };
}

/** Records that Step Functions took the answer under this token. */
export async function recordDelivered(sql: Sql, callback: Callback): Promise<void> {
  await sql`
    update callbacks set delivered_at = now()
    where callback_id = ${callback.callbackId} and token_no = ${callback.tokenNo}`;
}

/** Flags an answer that nothing will read, for a person; the audit trail of its job says so too. */
export async function holdAnswer(sql: Sql, callbackId: CallbackId, reason: string): Promise<void> {
  await sql`
    with held as (
      update callbacks set held_at = now(), held_reason = ${reason}, resolved_at = null
      where callback_id = ${callbackId} and held_at is null
      returning tenant_id, job_id, answer
    )
    insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason, details)
    select job_id, tenant_id, run, 'dispatcher', status, status, ${`an answer is held: ${reason}`},
           jsonb_build_object('callbackId', ${callbackId}::text, 'answer', answer)
    from held join jobs using (job_id, tenant_id)`;
}

/**
 * The statement part that ends a callback: what the job goes on with. An answer that says otherwise, and is there
 * already, is held; one that comes later is held by the dispatcher.
 */
export const settling = (
  sql: Sql,
  effectKey: PendingQuery<Row[]>,
  outcome: 'succeeded' | 'declined' | 'voided',
) => sql`
  update callbacks set settled_as = ${outcome}, settled_at = now(),
    held_at = case when (answer ->> 'outcome' = 'succeeded') <> ${outcome === 'succeeded'} then now() else held_at end,
    held_reason = case when (answer ->> 'outcome' = 'succeeded') <> ${outcome === 'succeeded'}
      then 'the job went on as ' || ${outcome}::text || ', the provider had answered ' || (answer ->> 'outcome')
      else held_reason end
  from fence
  where callbacks.tenant_id = fence.tenant_id and effect_key = ${effectKey} and settled_as is null`;
