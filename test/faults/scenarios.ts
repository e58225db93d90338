import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { waitFor } from '../support/wait-for.ts';
import type { Accepted } from './invariants.ts';
import type { Lab } from './lab.ts';

/** One way of a job through Pawl: `begin` brings it before the boundary, the function that it gives goes over it. */
export type Scenario = {
  readonly begin: (lab: Lab) => Promise<Ready>;
  readonly quarantines?: number;
};
export type Ready = {
  /** `isOver` tells that the boundary was reached: what meets it by chance only is tried until then. */
  readonly cross: (isOver: () => boolean) => Promise<readonly Accepted[]>;
};

const newKey = (): string => randomUUID();
export const probe = (key: string, more: object = {}) => ({
  type: 'fault-probe',
  input: { key, text: textOf(key) },
  ...more,
});
export const textOf = (key: string): string => `the bytes of ${key}`;

/** Keys that are not held up any more. */
const released = new Set<string>();

/** The provider refuses, dawdles or puts off what its key says; what it refused once it does in a later run. */
export function obedient(lab: Lab): void {
  lab.provider.behave((key) => {
    if (key.includes('slow')) return { delayMs: 2_500 };
    if (key.includes('refused') && !key.endsWith('#2')) return { work: false, status: 400 };
    if (key.includes('held') && !released.has(key.slice(key.indexOf('held'))))
      return { work: false, status: 503, headers: { 'retry-after': '1' } };
    return undefined;
  });
}

const submitOne = async (lab: Lab, key: string, more: object = {}): Promise<Accepted> => ({
  jobId: await lab.submit(probe(key, more), key),
  text: textOf(key),
});

async function refusedJob(lab: Lab): Promise<Accepted> {
  const job = await submitOne(lab, `refused-${newKey()}`);
  await lab.settled(job.jobId, ['FAILED']);
  return job;
}

/** A job that runs until it is released: its provider puts it off. */
async function heldJob(lab: Lab): Promise<Accepted & { readonly key: string }> {
  const key = `held-${newKey()}`;
  const job = await submitOne(lab, key);
  // A worker killed before may have taken its message along.
  await waitFor(() => lab.provider.requestsOf(key).length > 0, 80_000, `${key} to be called`);
  return { ...job, key };
}

const redrive = async (lab: Lab, { jobId }: Accepted, mode: string): Promise<void> => {
  const answer = await lab.call(`/jobs/${jobId}/redrive`, { method: 'POST', body: { mode } });
  // 409: the first try was committed, and its answer lost.
  assert.ok([202, 409].includes(answer.status), JSON.stringify(answer));
};

/** Cancelled and redriven before anybody has stopped the execution. */
async function redriveTooSoon(lab: Lab): Promise<Accepted> {
  const job = await heldJob(lab);
  await lab.sql`
    with cancelled as (
      update jobs set status = 'CANCELLED', finished_at = now(), owner_until = now() + interval '5 minutes'
      where job_id = ${job.jobId} and status = 'RUNNING' returning *
    )
    insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason)
    select job_id, tenant_id, run, 'test', 'RUNNING', 'CANCELLED', 'a late stop message' from cancelled`;
  await redrive(lab, job, 'resume');
  released.add(job.key);
  return job;
}

/** A message that is in no queue though the outbox says that it was sent, and nobody looks after its job any more. */
async function loseMessage(lab: Lab, jobId: string): Promise<void> {
  await lab.sql`
    with lost as (
      update outbox set published_at = now() - interval '1 hour', next_attempt_at = now(),
                        envelope = jsonb_set(envelope, '{attemptPolicy,notBefore}', 'null')
      where job_id = ${jobId} and destination = 'job-requests' returning job_id
    )
    update jobs set not_before = null, owner_until = now() - interval '1 second'
    from lost where jobs.job_id = lost.job_id`;
}

/** Time compressed: each look that finds the queue busy would put the next one off by minutes. */
async function hurryReconciler(lab: Lab, jobId: string): Promise<void> {
  await waitFor(
    async () => {
      await delay(500);
      const stillLost = await lab.sql`
        update jobs set owner_until = now() - interval '1 second' from outbox
        where jobs.job_id = ${jobId} and outbox.job_id = jobs.job_id and status = 'PENDING'
          and published_at < now() - interval '30 minutes' and destination = 'job-requests'
        returning jobs.job_id`;
      return stillLost.length === 0;
    },
    60_000,
    'the lost message to be sent again',
  );
}

export const scenarios = {
  /** Submit, run, succeed. */
  succeed: {
    begin: async (lab) => ({ cross: async () => [await submitOne(lab, newKey())] }),
  },
  /** The worker's sweep publishes, not the API. */
  later: {
    begin: async (lab) => ({
      cross: async () => [
        await submitOne(lab, newKey(), { notBefore: new Date(Date.now() + 300).toISOString() }),
      ],
    }),
  },
  /** Two of one ordering key. */
  ordered: {
    begin: async (lab) => ({
      cross: async () => {
        const orderingKey = newKey();
        const first = await submitOne(lab, newKey(), { orderingKey });
        return [first, await submitOne(lab, newKey(), { orderingKey })];
      },
    }),
  },
  /** The provider says no: FAILED by the execution's event. */
  fail: {
    begin: async (lab) => ({
      cross: async () => [{ ...(await submitOne(lab, `refused-${newKey()}`)), endsAs: ['FAILED'] }],
    }),
  },
  resume: {
    begin: async (lab) => {
      const job = await refusedJob(lab);
      return {
        cross: async () => [await redrive(lab, job, 'resume'), job].flatMap((one) => one ?? []),
      };
    },
  },
  restart: {
    begin: async (lab) => {
      const job = await refusedJob(lab);
      return {
        cross: async () => [await redrive(lab, job, 'restart'), job].flatMap((one) => one ?? []),
      };
    },
  },
  cancel: {
    begin: async (lab) => {
      const job = await heldJob(lab);
      return {
        cross: async () => {
          const answer = await lab.call(`/jobs/${job.jobId}/cancel`, { method: 'POST' });
          assert.equal(answer.status, 202, JSON.stringify(answer));
          return [{ ...job, endsAs: ['CANCELLED'] }];
        },
      };
    },
  },
  /** Redriven while its old execution still runs: the dispatcher stops that, and puts the message off. */
  postpone: {
    begin: async (lab) => ({
      cross: async (isOver) => {
        const jobs: Accepted[] = [];
        for (let tries = 0; tries < 8 && !isOver(); tries += 1) {
          jobs.push(await redriveTooSoon(lab));
          await waitFor(isOver, 5_000).catch(() => undefined); // its execution ended by itself
        }
        return jobs;
      },
    }),
  },
  poison: {
    quarantines: 1,
    begin: async (lab) => ({
      cross: async () => {
        const QueueUrl = lab.pawl.runtime().queues.jobRequests;
        await lab.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'not JSON' }));
        return [];
      },
    }),
  },
  lost: {
    begin: async (lab) => {
      const notBefore = new Date(Date.now() + 3_600_000).toISOString();
      const job = await submitOne(lab, newKey(), { notBefore });
      return {
        cross: async () => {
          await loseMessage(lab, job.jobId);
          await hurryReconciler(lab, job.jobId);
          return [job];
        },
      };
    },
  },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof scenarios;
