import type { CallbackAnswer } from '../callback-answer.ts';
import type { CallbackId, JobId, TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** An answer that nothing will read, for a person. */
export type HeldAnswer = {
  readonly callbackId: CallbackId;
  readonly tenantId: TenantId;
  readonly jobId: JobId;
  readonly jobStatus: string;
  readonly provider: string;
  readonly effectKey: string;
  readonly answer: Partial<CallbackAnswer>;
  /** Another answer that says otherwise. */
  readonly contradiction: Partial<CallbackAnswer> | null;
  readonly settledAs: string | null;
  readonly heldAt: Date;
  readonly heldReason: string;
};

const shown = 200;

/** The held answers that nobody has dealt with, longest first. */
export async function findHeldAnswers(sql: Sql): Promise<HeldAnswer[]> {
  return await sql<HeldAnswer[]>`
    select callback_id as "callbackId", callbacks.tenant_id as "tenantId", job_id as "jobId",
           jobs.status as "jobStatus", provider, effect_key as "effectKey", answer, contradiction,
           settled_as as "settledAs", held_at as "heldAt", held_reason as "heldReason"
    from callbacks join jobs using (job_id)
    where held_at is not null and resolved_at is null and answer is not null
    order by held_at limit ${shown}`;
}

export async function countHeldAnswers(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from callbacks where held_at is not null and resolved_at is null`;
  return row?.count ?? 0;
}

/** Takes an answer off the list; gives whether it stood there. */
export async function resolveHeldAnswer(sql: Sql, callbackId: CallbackId): Promise<boolean> {
  const rows = await sql`
    update callbacks set resolved_at = now()
    where callback_id = ${callbackId} and held_at is not null and resolved_at is null
    returning callback_id`;
  return rows.length === 1;
}
