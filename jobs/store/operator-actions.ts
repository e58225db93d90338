import type { JobId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** What operators do; each leaves a row in operator_actions. */
export type OperatorAction =
  | 'dlq.redrive'
  | 'dlq.discard'
  | 'quarantine.redrive'
  | 'quarantine.discard'
  | 'callback.resolve'
  | 'stock.set'
  | 'effect.resolve'
  | 'key.revoke'
  | 'events.replay'
  | 'events.cancel-replay'
  | 'bulk.start'
  | 'bulk.pause'
  | 'bulk.resume'
  | 'bulk.cancel';

export type NewAction = {
  /** As `actorOf` names the caller. */
  readonly actor: string;
  readonly action: OperatorAction;
  /** What it is done to: `queue/job-requests-dlq`, `effect/<id>`, `bulk/<id>`. */
  readonly target: string;
  readonly jobId?: JobId;
  readonly reason: string;
  readonly details: Readonly<Record<string, unknown>>;
};

/** Writes down what is about to be done, before it is done; `endAction` adds how it ended. */
export async function beginAction(sql: Sql, action: NewAction): Promise<string> {
  const [row] = await sql<{ actionNo: string }[]>`
    insert into operator_actions (actor, action, target, job_id, reason, details)
    values (${action.actor}, ${action.action}, ${action.target}, ${action.jobId ?? null}, ${action.reason},
            ${sql.json(action.details as never)})
    returning action_no as "actionNo"`;
  if (row === undefined) throw new Error('an INSERT gave no row');
  return row.actionNo;
}

/** Adds how an action ended; `details` are added to what was written before it. */
export async function endAction(
  sql: Sql,
  actionNo: string,
  result: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await sql`
    update operator_actions set result = ${result}, ended_at = now(), details = details || ${sql.json(details as never)}
    where action_no = ${actionNo}`;
}

/**
 * Does what an operator asked for between the two halves of its row. What fails is written down as its result, and
 * thrown on; a process that dies in between leaves 'started'.
 */
export async function audited<Result>(
  sql: Sql,
  action: NewAction,
  act: () => Promise<Result>,
  describe: (result: Result) => string,
): Promise<Result> {
  const actionNo = await beginAction(sql, action);
  let result: Result;
  try {
    result = await act();
  } catch (error) {
    await endAction(
      sql,
      actionNo,
      `failed: ${error instanceof Error ? error.message : String(error)}`,
    );
    throw error;
  }
  await endAction(sql, actionNo, describe(result));
  return result;
}

/** A line of the audit: an operator's action, a change of a job's status that an operator made, or what was refused. */
export type AuditEntry = {
  readonly id: string;
  readonly at: Date;
  readonly place: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly jobId: JobId | null;
  readonly reason: string;
  readonly result: string;
  readonly details: unknown;
};

export type AuditFilter = {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly jobId?: JobId | undefined;
  readonly after?: Date | undefined;
  readonly before?: Date | undefined;
};

/** What operators did and what was refused to whom, newest first; `from` is the place of the last entry of the page before. */
export async function findAudit(
  sql: Sql,
  filter: AuditFilter,
  page: {
    readonly limit: number;
    readonly from: { readonly at: string; readonly id: string } | undefined;
  },
): Promise<AuditEntry[]> {
  const { actor, action, target, jobId, after, before } = filter;
  const { from, limit } = page;
  const within = [
    ...(actor === undefined ? [] : [sql`actor = ${actor}`]),
    ...(action === undefined ? [] : [sql`action = ${action}`]),
    ...(target === undefined ? [] : [sql`target = ${target}`]),
    ...(jobId === undefined ? [] : [sql`"jobId" = ${jobId}`]),
    ...(after === undefined ? [] : [sql`at > ${after}`]),
    ...(before === undefined ? [] : [sql`at < ${before}`]),
    ...(from === undefined ? [] : [sql`(at, id) < (${from.at}::timestamptz, ${from.id})`]),
  ].reduce((all, condition) => sql`${all} and ${condition}`, sql`true`);
  return await sql<AuditEntry[]>`
    with actions as (
      select 'action-' || lpad(action_no::text, 19, '0') as id, at, actor, action, target, job_id as "jobId", reason,
             result, details
      from operator_actions
    ),
    arrows as (
      select 'event-' || lpad(event_no::text, 19, '0') as id, at, actor,
             case when from_status = to_status then 'job.note' else 'job.' || lower(to_status) end as action,
             'job/' || job_id as target, job_id as "jobId", reason,
             coalesce(from_status, 'new') || ' → ' || to_status as result, coalesce(details, '{}') as details
      from job_events where actor like 'operator key %'
    ),
    refused as (
      select 'refusal-' || lpad(refusal_no::text, 19, '0') as id, first_at as at, actor, 'refused.' || code as action,
             route as target, job_id as "jobId", detail as reason,
             status || case when times > 1 then ', ' || times || ' times within the hour' else '' end as result,
             jsonb_build_object('tenantId', tenant_id, 'times', times, 'lastAt', last_at, 'lastRequestId', request_id)
               as details
      from refusals
    )
    (select *, at::text as place from actions where ${within} order by at desc, id desc limit ${limit})
    union all
    (select *, at::text as place from arrows where ${within} order by at desc, id desc limit ${limit})
    union all
    (select *, at::text as place from refused where ${within} order by at desc, id desc limit ${limit})
    order by at desc, id desc limit ${limit}`;
}
