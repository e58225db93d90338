import { readdirSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { paginateListExecutions } from '@aws-sdk/client-sfn';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { claimLeaseMs, claimRenewalMs } from '../../jobs/step-functions-calls.ts';
import { STATE_MACHINE_ARN_PREFIX } from '../../local/supervisor/addresses.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Lab } from './lab.ts';

/** A job that was answered with 202, and how it may end. */
export type Accepted = {
  readonly jobId: string;
  readonly endsAs?: readonly string[];
  /** What `result.sha256` must be the hash of. */
  readonly text?: string;
};

export type Expectations = {
  readonly accepted: readonly Accepted[];
  /** Messages that were meant to be quarantined. */
  readonly quarantined?: number;
  /** Texts that must stand in no log. */
  readonly secrets?: readonly string[];
};

const arrows = new Set([
  'null>PENDING',
  'PENDING>RUNNING',
  'PENDING>SUCCEEDED',
  'PENDING>FAILED',
  'PENDING>CANCELLED',
  'PENDING>EXPIRED',
  'PENDING>PENDING',
  'RUNNING>SUCCEEDED',
  'RUNNING>FAILED',
  'RUNNING>CANCELLED',
  'RUNNING>EXPIRED',
  'FAILED>PENDING',
  'CANCELLED>PENDING',
  'EXPIRED>PENDING',
  'FAILED>RUNNING',
  'FAILED>CANCELLED',
]);

/** What must always hold (docs/faults.md), looked at when everything has come to rest. Gives each violation in words. */
export async function violations(lab: Lab, expected: Expectations): Promise<string[]> {
  const found = await Promise.all([
    unfinished(lab, expected),
    wrongArrows(lab),
    wrongExecutions(lab),
    repeatedWork(lab),
    leftOver(lab),
    wrongQueues(lab, expected),
    Promise.resolve(leakedSecrets(lab, expected)),
  ]);
  return found.flat();
}

/** Waits until nothing is under way: no open job, no unsent message, nothing in a queue, no execution running. */
export async function comeToRest(lab: Lab, timeoutMs: number): Promise<void> {
  await waitFor(
    async () => {
      await endDeadLeases(lab);
      await delay(250);
      const [row] = await lab.sql<{ busy: number }[]>`
        select (select count(*) from jobs where status in ('PENDING', 'RUNNING'))
             + (select count(*) from jobs where owner_until is not null)
             + (select count(*) from outbox where published_at is null) as busy`;
      return Number(row?.busy) === 0 && (await areQueuesEmpty(lab));
    },
    timeoutMs,
    'everything to come to rest',
  );
}

/**
 * Time compressed: the leases of those who died are over, and what was put off until then is due. Who lives renews his
 * lease on a message every 5 s, and sends what he took from the outbox within 5 s.
 */
async function endDeadLeases({ sql }: Lab): Promise<void> {
  const notRenewed = claimLeaseMs - 2 * claimRenewalMs;
  await sql`
    update worker_inbox set lease_until = now()
    where status = 'PROCESSING' and lease_until < now() + ${notRenewed} * interval '1 millisecond'`;
  await sql`
    update outbox set next_attempt_at = now()
    where published_at is null
      and next_attempt_at between now() + interval '5 seconds' and now() + interval '25 seconds'`;
}

async function areQueuesEmpty(lab: Lab): Promise<boolean> {
  const { jobRequests, executionEvents } = lab.pawl.runtime().queues;
  const counts = await Promise.all(
    [jobRequests, executionEvents].map((url) => messagesIn(lab, url)),
  );
  return counts.every((count) => count === 0);
}

export async function messagesIn(lab: Lab, queueUrl: string): Promise<number> {
  const { Attributes = {} } = await lab.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
  );
  return (
    Number(Attributes.ApproximateNumberOfMessages ?? 0) +
    Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0) +
    Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0)
  );
}

/** 1 and 5: every 202 ends, and a SUCCEEDED job's checksum is that of the bytes it read. */
async function unfinished(lab: Lab, { accepted }: Expectations): Promise<string[]> {
  const rows = await lab.sql<
    { jobId: string; status: string; code: string | null; sha256: string | null }[]
  >`
    select job_id as "jobId", status, failure ->> 'code' as code, result ->> 'sha256' as sha256 from jobs`;
  const byId = new Map(rows.map((row) => [row.jobId, row]));
  return accepted.flatMap(({ jobId, endsAs = ['SUCCEEDED'], text }) => {
    const job = byId.get(jobId);
    if (job === undefined) return [`job ${jobId} was answered with 202 and is not there`];
    if (!endsAs.includes(job.status))
      return [`job ${jobId} is ${job.status} ${job.code ?? ''}, not ${endsAs.join(' or ')}`];
    if (text === undefined || job.status !== 'SUCCEEDED') return [];
    const hash = createHash('sha256').update(text).digest('hex');
    return job.sha256 === hash ? [] : [`job ${jobId} hashed other bytes: ${job.sha256}`];
  });
}

/** 4: each change of status starts where the one before ended, along an arrow; only a redrive leads out of a final one. */
async function wrongArrows(lab: Lab): Promise<string[]> {
  const events = await lab.sql<{ jobId: string; from: string | null; to: string; actor: string }[]>`
    select job_id as "jobId", from_status as from, to_status as to, actor from job_events order by event_no`;
  const jobs = await lab.sql<{ jobId: string; status: string }[]>`
    select job_id as "jobId", status from jobs`;
  const now = new Map<string, string>();
  const wrong: string[] = [];
  for (const { jobId, from, to, actor } of events) {
    const before = now.get(jobId) ?? null;
    if (from !== before) wrong.push(`job ${jobId}: ${actor} says from ${from}, it was ${before}`);
    if (!arrows.has(`${from}>${to}`)) wrong.push(`job ${jobId}: ${actor} went ${from} > ${to}`);
    now.set(jobId, to);
  }
  for (const { jobId, status } of jobs)
    if (now.get(jobId) !== status)
      wrong.push(`job ${jobId} is ${status}, its history ${now.get(jobId)}`);
  return wrong;
}

/** 2: one execution for each job and each restart, named so; its redrive count is the job's; none still runs. */
async function wrongExecutions(lab: Lab): Promise<string[]> {
  const known = await lab.sql<{ name: string; count: number; current: boolean }[]>`
    select execution_name as name, redrive_count as count, true as current from jobs
    union
    select details ->> 'previousExecutionName', 0, false from job_events
    where details ? 'previousExecutionName'
      and not exists (select from jobs where execution_name = details ->> 'previousExecutionName')`;
  const expected = new Map(known.map((one) => [one.name, one]));
  const types = await lab.sql<{ type: string }[]>`select distinct type from jobs`;
  const wrong: string[] = [];
  for (const { type } of types) {
    const stateMachineArn = `${STATE_MACHINE_ARN_PREFIX}${type}`;
    for await (const page of paginateListExecutions({ client: lab.sfn }, { stateMachineArn })) {
      for (const { name = '', status, redriveCount = 0 } of page.executions ?? []) {
        const job = expected.get(name);
        if (job === undefined) wrong.push(`execution ${name} belongs to no run of a job`);
        else if (job.current && job.count !== redriveCount)
          wrong.push(
            `execution ${name} was redriven ${redriveCount} times, its job says ${job.count}`,
          );
        if (status === 'RUNNING') wrong.push(`execution ${name} still runs`);
      }
    }
  }
  return wrong;
}

/** 3: the provider did each effect at most once, and never anything without a recorded intention. */
async function repeatedWork(lab: Lab): Promise<string[]> {
  const effects = await lab.sql<{ key: string; status: string; base: string }[]>`
    select tenant_id || '/' || effect_key as key, status,
           tenant_id || '/' || regexp_replace(effect_key, '#[0-9]+$', '') as base
    from external_effects`;
  const byKey = new Map(effects.map((effect) => [effect.key, effect]));
  const wrong: string[] = [];
  const doneOf = new Map<string, number>();
  for (const [key, times] of lab.provider.works) {
    const base = key.replace(/#\d+$/, '');
    doneOf.set(base, (doneOf.get(base) ?? 0) + times);
  }
  for (const [base, times] of doneOf) {
    const isHeld = effects.some((effect) => effect.base === base && effect.status === 'UNKNOWN');
    if (times > 1 && !isHeld) wrong.push(`the provider did ${base} ${times} times`);
  }
  for (const { key } of lab.provider.requests)
    if (!byKey.has(key)) wrong.push(`the provider was called for ${key} without an intention`);
  for (const { key, status } of effects)
    if (status === 'COMPLETED' && !lab.provider.works.has(key))
      wrong.push(`${key} is COMPLETED and was never done`);
  return [...new Set(wrong)];
}

/** 6: nothing that somebody would have to go on with: messages, leases, owners, waiting keys. */
async function leftOver(lab: Lab): Promise<string[]> {
  const rows = await lab.sql<{ what: string }[]>`
    select 'open job without an owner ' || job_id as what from jobs
      where status in ('PENDING', 'RUNNING') and owner_until is null
    union all select 'job without a message ' || job_id from jobs
      where not exists (select from outbox where outbox.job_id = jobs.job_id)
    union all select 'message never sent ' || message_id || ' of job ' || job_id from outbox
      where published_at is null
    union all select 'inbox lease held: ' || idempotency_key from worker_inbox where status = 'PROCESSING'
    -- What became of the call of a job that failed or was stopped is found out when somebody redrives it.
    union all select 'effect lease held: ' || effect_key from external_effects join jobs using (job_id)
      where external_effects.status = 'CALLING' and jobs.status not in ('FAILED', 'CANCELLED', 'EXPIRED')
    union all select 'ordering key held by a job that has ended: ' || ordering_key from ordering_keys
      join jobs using (tenant_id, ordering_key) where job_id = current_job and status <> 'FAILED'`;
  return rows.map(({ what }) => what);
}

async function wrongQueues(lab: Lab, { quarantined = 0 }: Expectations): Promise<string[]> {
  const { jobRequestsDlq, executionEvents } = lab.pawl.runtime().queues;
  const dlqs = [jobRequestsDlq, `${executionEvents}-dlq`];
  const wrong: string[] = [];
  for (const url of dlqs) {
    const count = await messagesIn(lab, url);
    if (count > 0) wrong.push(`${count} messages in ${url.split('/').at(-1)}`);
  }
  const kept = await lab.sql<{ code: string; reason: string }[]>`
    select code, reason from quarantined_messages`;
  if (kept.length !== quarantined)
    wrong.push(
      `${kept.length} quarantined, not ${quarantined}: ${kept.map(({ code, reason }) => `${code} ${reason}`).join('; ')}`,
    );
  return wrong;
}

/** 7: no key, password or payload in any log. */
function leakedSecrets(lab: Lab, { secrets = [] }: Expectations): string[] {
  const { keys, databaseUrl } = lab.pawl.runtime();
  const password = new URL(databaseUrl).password;
  const folder = join(lab.pawl.dataDir, 'logs');
  return readdirSync(folder).flatMap((name) => {
    const log = readFileSync(join(folder, name), 'utf8');
    return [keys.client, keys.operator, password, ...secrets]
      .filter((secret) => log.includes(secret))
      .map((secret) => `${name} holds ${secret.slice(0, 12)}…`);
  });
}
