import { randomUUID } from 'node:crypto';
import type { FailureCode } from '../failure-codes.ts';
import type { Envelope } from '../envelope.ts';
import { claimLeaseMs } from '../step-functions-calls.ts';
import type { Sql } from './connect.ts';
import { givenRows } from './given-rows.ts';
import { keptFragment } from './kept-fragment.ts';

/** The right to work on a message, until the lease ends. */
export type InboxClaim = {
  readonly tenantId: string;
  readonly idempotencyKey: string;
  readonly leaseToken: string;
  /** Which business attempt this is: 1, 2, …; SQS's receive count is for crashes and counts elsewhere. */
  readonly attempts: number;
};

/** What a message meets in the inbox. */
export type InboxAnswer =
  | { readonly kind: 'claimed'; readonly claim: InboxClaim; readonly run: DispatchableRun }
  | { readonly kind: 'job-unknown' }
  /** Done before: the duplicate is a success. */
  | { readonly kind: 'completed' }
  | { readonly kind: 'terminal' }
  /** Another consumer works on it now. */
  | { readonly kind: 'busy'; readonly leaseSeconds: number }
  | { readonly kind: 'other-request' };

/** The run of a job as the dispatcher finds it. Times are seconds from now, negative when past. */
export type DispatchableRun = {
  readonly type: string;
  readonly status: string;
  readonly run: number;
  readonly executionName: string;
  readonly redriveCount: number;
  readonly expiresInSeconds: number | null;
};

type Existing = {
  readonly status: string;
  readonly sameRequest: boolean;
  readonly leaseSeconds: number | null;
};

/** A message that is to be claimed; `requestHash` is of what it asks for. */
export type Claiming = {
  readonly envelope: Envelope;
  readonly requestHash: string;
  /** Default: claimLeaseMs. */
  readonly leaseMs?: number;
};

/** As claimMessages, for one. */
export async function claimMessage(
  sql: Sql,
  envelope: Envelope,
  requestHash: string,
  leaseMs: number = claimLeaseMs,
): Promise<InboxAnswer> {
  const [answer] = await claimMessages(sql, [{ envelope, requestHash, leaseMs }]);
  if (answer === undefined) throw new Error('a claim without an answer');
  return answer;
}

const claimColumns = keptFragment(
  (sql) => sql`
  place integer, tenant_id text, idempotency_key text, message_id uuid, message_type text, job_id uuid,
  request_hash text, lease_token uuid, lease_ms double precision`,
);

/**
 * Takes messages in and claims them, in one statement. A row of the same key whose hash differs is never touched: the same
 * key for another request is an alert, not a retry. The job's run is read by the same statement, just before the claim.
 *
 * Where a key is there twice, either one of the two is claimed at most, or the statement fails. Rows are inserted in the
 * order of their keys, so that two such statements never wait for each other.
 */
export async function claimMessages(sql: Sql, wanted: readonly Claiming[]): Promise<InboxAnswer[]> {
  const tokens = wanted.map(() => randomUUID());
  const rows = await sql<(DispatchableRun & { place: number; attempts: number | null })[]>`
    with given as (
      ${givenRows(
        sql,
        wanted.map((each, place) => toGiven(each, place, tokens[place])),
        claimColumns(sql),
      )}
    ),
    run as (
      select place, type, status, run, execution_name, redrive_count, expires_at
      from given join jobs using (job_id, tenant_id)
    ),
    claimed as (
      insert into worker_inbox as inbox (tenant_id, idempotency_key, message_id, message_type, job_id, request_hash,
                                         status, attempts, lease_token, lease_until)
      select tenant_id, idempotency_key, message_id, message_type, job_id, request_hash, 'PROCESSING', 1, lease_token,
             now() + lease_ms * interval '1 millisecond'
      from given join run using (place)
      order by tenant_id, idempotency_key
      on conflict (tenant_id, idempotency_key) do update set
        status = 'PROCESSING', attempts = inbox.attempts + 1, deliveries = inbox.deliveries + 1,
        lease_token = excluded.lease_token, lease_until = excluded.lease_until, updated_at = now()
      where inbox.request_hash = excluded.request_hash
        and (inbox.status in ('RECEIVED', 'FAILED_RETRYABLE')
          or (inbox.status = 'PROCESSING' and inbox.lease_until < now()))
      returning inbox.tenant_id, inbox.idempotency_key, inbox.lease_token, attempts
    )
    select place, type, run.status, run, execution_name as "executionName", redrive_count as "redriveCount",
           extract(epoch from expires_at - now())::double precision as "expiresInSeconds", attempts
    from run join given using (place)
    -- By the token, too: the key may be there a second time, for another request.
    left join claimed using (tenant_id, idempotency_key, lease_token)`;
  const found = new Map(rows.map(({ place, ...row }) => [place, row]));
  return await Promise.all(
    wanted.map(async (each, place): Promise<InboxAnswer> => {
      const row = found.get(place);
      if (row === undefined) return { kind: 'job-unknown' };
      const { attempts, ...run } = row;
      if (attempts === null) return meaning(await countDelivery(sql, each));
      const { tenantId } = each.envelope.payload;
      const { idempotencyKey } = each.envelope;
      const leaseToken = tokens[place] ?? '';
      return { kind: 'claimed', claim: { tenantId, idempotencyKey, leaseToken, attempts }, run };
    }),
  );
}

const toGiven = ({ envelope, requestHash, leaseMs }: Claiming, place: number, leaseToken = '') => ({
  place,
  tenant_id: envelope.payload.tenantId,
  idempotency_key: envelope.idempotencyKey,
  message_id: envelope.messageId,
  message_type: envelope.messageType,
  job_id: envelope.payload.jobId,
  request_hash: requestHash,
  lease_token: leaseToken,
  lease_ms: leaseMs ?? claimLeaseMs,
});

/** Counts a delivery that claims nothing, and gives the row that stands against it. */
async function countDelivery(
  sql: Sql,
  { envelope, requestHash }: Claiming,
): Promise<Existing | undefined> {
  const [existing] = await sql<Existing[]>`
    update worker_inbox set deliveries = deliveries + 1, updated_at = now()
    where tenant_id = ${envelope.payload.tenantId} and idempotency_key = ${envelope.idempotencyKey}
    returning status, request_hash = ${requestHash} as "sameRequest",
              extract(epoch from lease_until - now())::double precision as "leaseSeconds"`;
  return existing;
}

function meaning(existing: Existing | undefined): InboxAnswer {
  if (existing === undefined) return { kind: 'busy', leaseSeconds: 1 }; // removed by retention in between: come back
  if (!existing.sameRequest) return { kind: 'other-request' };
  if (existing.status === 'COMPLETED') return { kind: 'completed' };
  if (existing.status === 'FAILED_TERMINAL') return { kind: 'terminal' };
  return { kind: 'busy', leaseSeconds: Math.max(1, existing.leaseSeconds ?? 1) };
}

/** Begins the lease anew, also where it is over and nobody has taken the message since. False where somebody has. */
export async function renewClaim(sql: Sql, claim: InboxClaim, leaseMs: number): Promise<boolean> {
  const rows = await sql`
    update worker_inbox set lease_until = now() + ${leaseMs}::float8 * interval '1 millisecond'
    where tenant_id = ${claim.tenantId} and idempotency_key = ${claim.idempotencyKey}
      and lease_token = ${claim.leaseToken}
    returning 1`;
  return rows.length === 1;
}

/** Records that the message asked for nothing (any more), or cannot be done; `outcome` says which. Nothing where the lease was lost. */
export async function closeMessage(
  sql: Sql,
  claim: InboxClaim,
  status: 'COMPLETED' | 'FAILED_TERMINAL',
  outcome: string,
): Promise<void> {
  await sql`
    update worker_inbox set status = ${status}, outcome = ${outcome}, lease_token = null, lease_until = null,
                            updated_at = now()
    where tenant_id = ${claim.tenantId} and idempotency_key = ${claim.idempotencyKey}
      and lease_token = ${claim.leaseToken}`;
}

/**
 * Puts a message that failed transiently back into the outbox, due after `retryInMs`: inbox row and outbox row in
 * one statement, so that the message in SQS may be deleted. An outage does not fill the DLQ. Gives false where the lease
 * was lost: then nothing is written, and the message must stay.
 */
export async function postponeMessage(
  sql: Sql,
  claim: InboxClaim,
  envelope: Envelope,
  failure: { readonly code: FailureCode; readonly message: string; readonly retryInMs: number },
): Promise<boolean> {
  const rows = await sql`
    with postponed as (
      update worker_inbox set status = 'FAILED_RETRYABLE', outcome = ${failure.code}, lease_token = null,
                              lease_until = null, updated_at = now()
      where tenant_id = ${claim.tenantId} and idempotency_key = ${claim.idempotencyKey}
        and lease_token = ${claim.leaseToken}
      returning job_id
    )
    insert into outbox as o (message_id, tenant_id, destination, message_type, job_id, envelope, last_error,
                             next_attempt_at)
    select ${envelope.messageId}::uuid, ${claim.tenantId}, 'job-requests', ${envelope.messageType}, job_id,
           ${sql.json(envelope)}::jsonb, ${`${failure.code}: ${failure.message}`},
           now() + ${failure.retryInMs} * interval '1 millisecond'
    from postponed
    on conflict (message_id) do update set
      published_at = null, next_attempt_at = excluded.next_attempt_at, last_error = excluded.last_error,
      -- Whoever sent it and has yet to record that must not take this for sent.
      attempts = o.attempts + 1
    returning message_id`;
  return rows.length === 1;
}

/**
 * Puts a copy of a message that another consumer has in its hands back into the outbox, due when that one's lease is
 * over: waiting in SQS would cost receives, which are for crashes. Should the other one die, the copy is there.
 */
export async function putOffCopy(sql: Sql, envelope: Envelope, seconds: number): Promise<void> {
  const { tenantId, jobId } = envelope.payload;
  await sql`
    insert into outbox as o (message_id, tenant_id, destination, message_type, job_id, envelope, next_attempt_at)
    values (${envelope.messageId}, ${tenantId}, 'job-requests', ${envelope.messageType}, ${jobId},
            ${sql.json(envelope)}, now() + make_interval(secs => ${seconds}))
    on conflict (message_id) do update set
      published_at = null, attempts = o.attempts + 1,
      next_attempt_at = case when o.published_at is null then greatest(o.next_attempt_at, excluded.next_attempt_at)
                        else excluded.next_attempt_at end`;
}
