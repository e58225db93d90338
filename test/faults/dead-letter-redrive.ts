import { setTimeout as delay } from 'node:timers/promises';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { newEnvelope } from '../../jobs/envelope.ts';
import { newJobId, type TenantId } from '../../jobs/ids.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Accepted, messagesIn } from './invariants.ts';
import type { Lab } from './lab.ts';
import { textOf } from './scenarios.ts';

export type RedriveReport = {
  readonly accepted: readonly Accepted[];
  /** Messages that lay in the dead-letter queue: every tenth job's twice. */
  readonly deadLetters: number;
  readonly redriveSeconds: number;
  readonly seconds: number;
  readonly violations: readonly string[];
};

type Seed = { readonly jobId: string; readonly key: string; readonly body: string };

/**
 * Puts the messages of so many jobs into the dead-letter queue, each job held, has an operator redrive all of them, and
 * looks whether each job was done, once in effect.
 */
export async function redriveDeadLetters(lab: Lab, jobs: number): Promise<RedriveReport> {
  const name = `dead-${Date.now()}`;
  const seeds = await seedHeldJobs(lab, jobs, name);
  // The copies come last: beside its first a copy would be put off for as long as a lease, and the test with it.
  const copies = seeds.filter((_, index) => index % 10 === 0);
  const bodies = [...seeds, ...copies].map(({ body }) => body);
  const { jobRequestsDlq, jobRequests } = lab.pawl.runtime().queues;
  await sendAll(lab, jobRequestsDlq, bodies);
  const startedAt = performance.now();
  let redriven = 0;
  await waitFor(
    async () => {
      const request = { queue: 'job-requests', all: true, reason: 'the crash is mended' };
      const { body } = await lab.call('/ops/dlq/redrive', { method: 'POST', body: request });
      const { messageIds, more } = body as { messageIds: readonly string[]; more: boolean };
      redriven += messageIds.length;
      return !more && (await messagesIn(lab, jobRequestsDlq)) === 0;
    },
    600_000,
    'the dead-letter queue to be empty',
  );
  const redriveSeconds = (performance.now() - startedAt) / 1_000;
  await waitFor(
    async () => {
      await delay(250);
      const [row] = await lab.sql<{ open: number }[]>`
        select count(*)::integer as open from jobs where correlation_id = ${name} and status <> 'SUCCEEDED'`;
      return row?.open === 0 && (await messagesIn(lab, jobRequests)) === 0;
    },
    1_800_000,
    'all jobs to succeed',
  );
  const worked = seeds.map(
    ({ key }) => lab.provider.works.get(`${tenantOf(lab)}/probe:${key}`) ?? 0,
  );
  const [row] = await lab.sql<{ inbox: number; done: number }[]>`
    select (count(*) filter (where inbox.status = 'COMPLETED'))::integer as done, count(inbox.*)::integer as inbox
    from jobs left join worker_inbox inbox using (job_id)
    where correlation_id = ${name}`;
  return {
    accepted: seeds.map(({ jobId, key }) => ({ jobId, text: textOf(key) })),
    deadLetters: bodies.length,
    redriveSeconds,
    seconds: (performance.now() - startedAt) / 1_000,
    violations: [
      ...(redriven === bodies.length ? [] : [`${redriven} redriven, not ${bodies.length}`]),
      ...seeds.flatMap(({ key }, index) =>
        worked[index] === 1 ? [] : [`${key} was done ${worked[index]} times`],
      ),
      ...(row?.inbox === jobs && row.done === jobs ? [] : [`inbox: ${row?.done} of ${row?.inbox}`]),
    ],
  };
}

const tenantOf = (lab: Lab): TenantId => lab.pawl.runtime().tenantId as TenantId;

/** PENDING jobs whose message was sent and died, as the reconciler leaves them. */
async function seedHeldJobs(lab: Lab, count: number, name: string): Promise<Seed[]> {
  const tenantId = tenantOf(lab);
  const rows = Array.from({ length: count }, (_, index) => {
    const jobId = newJobId();
    const key = `${name}-${index}`;
    const type = 'fault-probe';
    const envelope = newEnvelope({
      messageType: 'JobRequested',
      payload: { jobId, tenantId, type, run: 1, executionName: jobId, redriveCount: 0 },
      idempotencyKey: `start:${jobId}:0`,
      producer: 'api',
      correlationId: name,
      occurredAt: new Date(),
    });
    return { jobId, key, envelope, input: { key, text: textOf(key) } };
  });
  for (let start = 0; start < count; start += 250) {
    const some = lab.sql.json(rows.slice(start, start + 250));
    await lab.sql`
      with seed as (
        select * from jsonb_to_recordset(${some}) as seed ("jobId" uuid, envelope jsonb, input jsonb)
      ),
      job as (
        insert into jobs (job_id, tenant_id, type, execution_name, input, request_hash, correlation_id, held_since, held_because)
        select "jobId", ${tenantId}, 'fault-probe', "jobId"::text, input, repeat('0', 64), ${name}, now(), 'seeded' from seed
      ),
      event as (
        insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason)
        select "jobId", ${tenantId}, 1, 'test', null, 'PENDING', 'seeded' from seed
      )
      insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope, attempts, published_at)
      select (envelope ->> 'messageId')::uuid, ${tenantId}, 'job-requests', 'JobRequested', "jobId", envelope, 1, now()
      from seed`;
  }
  return rows.map(({ jobId, key, envelope }) => ({ jobId, key, body: JSON.stringify(envelope) }));
}

async function sendAll(lab: Lab, QueueUrl: string, bodies: readonly string[]): Promise<void> {
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies.slice(start, start + 10).map((MessageBody, index) => ({
      Id: String(index),
      MessageBody,
      MessageGroupId: tenantOf(lab),
    }));
    const { Failed } = await lab.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    if (Failed?.length) throw new Error(`SQS refused ${Failed.length}: ${Failed[0]?.Message}`);
  }
}
