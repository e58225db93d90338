import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  RedriveExecutionCommand,
} from '@aws-sdk/client-sfn';
import { waitFor } from '../support/wait-for.ts';
import { type Accepted, comeToRest, messagesIn, violations } from './invariants.ts';
import { startLab } from './lab.ts';
import { textOf } from './scenarios.ts';

const lab = await startLab();
after(() => lab.stop());
const accepted: Accepted[] = [];
/** Keys whose calls the provider fails until they are taken out. */
const failing = new Set<string>();
let isAway = false;
lab.provider.behave((key) => {
  if (isAway && key.includes('away'))
    return { work: false, status: 503, headers: { 'retry-after': '1' } };
  if ([...failing].some((part) => key.endsWith(part))) return { work: false, status: 500 };
  return key.includes('slow') ? { delayMs: 3_000 } : undefined;
});

async function submit(prefix: string, more: { endsAs?: string[] } & Record<string, unknown> = {}) {
  const { endsAs = ['SUCCEEDED'], ...request } = more;
  const key = `${prefix}-${randomUUID()}`;
  if (prefix.startsWith('failing')) failing.add(key);
  const jobId = await lab.submit(
    { type: 'fault-hasty', input: { key, text: textOf(key) }, ...request },
    key,
  );
  accepted.push({ jobId, endsAs, text: textOf(key) });
  return { jobId, key };
}

const recover = (key: string): boolean => failing.delete(key);
const redrive = async (jobId: string, body: object = {}) =>
  await lab.call(`/jobs/${jobId}/redrive`, { method: 'POST', body });

const statusesOf = async (jobId: string): Promise<string[]> => {
  const rows = await lab.sql<{ to: string }[]>`
    select to_status as to from job_events where job_id = ${jobId} order by event_no`;
  return rows.map(({ to }) => to);
};

async function historyOf(executionArn: string): Promise<string[]> {
  const { events = [] } = await lab.sfn.send(
    new GetExecutionHistoryCommand({ executionArn, maxResults: 1_000 }),
  );
  return events.map((event) => {
    const name = event.stateEnteredEventDetails?.name;
    return name === undefined ? String(event.type) : `enter ${name}`;
  });
}

const countOf = (history: readonly string[], wanted: string): number =>
  history.filter((event) => event === wanted).length;

// Most of it is waiting for retries: at the same time.
describe('each job by itself', { concurrency: true }, () => {
  test('a redrive runs the failed state and what follows, and nothing else', async () => {
    const { jobId, key } = await submit('failing');
    const failed = await lab.settled(jobId, ['FAILED']);
    assert.deepEqual(failed.failure && [failed.failure.code, failed.failure.state], [
      'PROVIDER_UNAVAILABLE',
      'Notify',
    ]);
    const tried = lab.provider.requestsOf(key).length;
    assert.equal(tried, 3);

    recover(key);
    assert.equal((await redrive(jobId)).status, 202);
    const job = await lab.settled(jobId, ['SUCCEEDED']);
    assert.deepEqual([job.run, job.execution.name, job.execution.redriveCount], [2, jobId, 1]);
    assert.deepEqual(await statusesOf(jobId), [
      'PENDING',
      'RUNNING',
      'FAILED',
      'PENDING',
      'RUNNING',
      'SUCCEEDED',
    ]);
    const history = await historyOf(job.execution.arn);
    assert.equal(countOf(history, 'ExecutionRedriven'), 1);
    // Finished states are not run again; the other branch of the Parallel neither.
    for (const state of ['MarkRunning', 'Both', 'Hash', 'MarkSucceeded'])
      assert.equal(countOf(history, `enter ${state}`), 1, state);
    assert.equal(lab.provider.requestsOf(key).length, tried + 1);
  });

  test('a provider that is away for longer than any retry leaves jobs to redrive: no dead letter, nothing done twice', async () => {
    isAway = true;
    const jobs = await Promise.all(Array.from({ length: 10 }, () => submit('away')));
    for (const { jobId } of jobs) {
      const { failure } = await lab.settled(jobId, ['FAILED']);
      assert.equal(failure?.code, 'PROVIDER_UNAVAILABLE');
    }
    assert.equal(await messagesIn(lab, lab.pawl.runtime().queues.jobRequestsDlq), 0);
    isAway = false;
    for (const { jobId } of jobs) assert.equal((await redrive(jobId)).status, 202);
    for (const { jobId, key } of jobs) {
      assert.equal((await lab.settled(jobId)).status, 'SUCCEEDED');
      assert.equal(lab.provider.works.get(`${lab.pawl.runtime().tenantId}/probe:${key}`), 1);
    }
  });

  test('redrives at the same moment make one', async () => {
    const { jobId, key } = await submit('failing');
    await lab.settled(jobId, ['FAILED']);
    recover(key);
    const answers = await Promise.all(Array.from({ length: 6 }, () => redrive(jobId)));
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [202, 409, 409, 409, 409, 409],
    );
    const job = await lab.settled(jobId, ['SUCCEEDED']);
    assert.deepEqual([job.run, job.execution.redriveCount], [2, 1]);
  });

  test('a redrive made directly on Step Functions is picked up as the job’s next run', async () => {
    const { jobId, key } = await submit('failing');
    const { execution } = await lab.settled(jobId, ['FAILED']);
    recover(key);
    await lab.sfn.send(new RedriveExecutionCommand({ executionArn: execution.arn }));
    const job = await lab.settled(jobId, ['SUCCEEDED']);
    assert.deepEqual([job.run, job.execution.redriveCount], [2, 1]);
    assert.deepEqual((await statusesOf(jobId)).slice(2), ['FAILED', 'RUNNING', 'SUCCEEDED']);
  });

  test('a job redriven outside that fails again is FAILED again, and can be redriven by the API', async () => {
    const { jobId, key } = await submit('failing');
    const { execution } = await lab.settled(jobId, ['FAILED']);
    await lab.sfn.send(new RedriveExecutionCommand({ executionArn: execution.arn }));
    await waitFor(async () => (await lab.job(jobId)).run === 2, 20_000, 'run 2');
    await lab.settled(jobId, ['FAILED']);
    recover(key);
    assert.equal((await redrive(jobId, { mode: 'resume' })).status, 202);
    const job = await lab.settled(jobId, ['SUCCEEDED']);
    assert.deepEqual([job.run, job.execution.redriveCount], [3, 2]);
  });

  test('restart runs a new execution of its own name, and repeats no effect that was done', async () => {
    const { jobId, key } = await submit('failing');
    await lab.settled(jobId, ['FAILED']);
    recover(key);
    assert.equal((await redrive(jobId, { mode: 'restart' })).status, 202);
    const job = await lab.settled(jobId, ['SUCCEEDED']);
    assert.deepEqual(
      [job.run, job.execution.name, job.execution.redriveCount],
      [2, `${jobId}-r2`, 0],
    );
    assert.equal(countOf(await historyOf(job.execution.arn), 'enter Hash'), 1);

    // The same key in another job: the effect log answers.
    const called = lab.provider.requestsOf(key).length;
    const again = await lab.submit(
      { type: 'fault-probe', input: { key, text: 'x' } },
      randomUUID(),
    );
    accepted.push({ jobId: again, text: 'x' });
    assert.equal((await lab.settled(again)).status, 'SUCCEEDED');
    assert.equal(lab.provider.requestsOf(key).length, called);
  });

  test('cancelling a running job stops its execution; resumed, it goes on where it was', async () => {
    const { jobId, key } = await submit('slow');
    await waitFor(() => lab.provider.requestsOf(key).length > 0, 30_000);
    assert.equal((await lab.call(`/jobs/${jobId}/cancel`, { method: 'POST' })).status, 202);
    const { execution, status } = await lab.job(jobId);
    assert.equal(status, 'CANCELLED');
    const executionArn = execution.arn;
    await waitFor(
      async () => {
        const view = await lab.sfn.send(new DescribeExecutionCommand({ executionArn }));
        return view.status === 'ABORTED';
      },
      20_000,
      'the execution to be stopped',
    );
    // Whatever the stopped attempt still does, the job stays as it is.
    await waitFor(
      async () => {
        const [row] = await lab.sql`select status from external_effects where job_id = ${jobId}`;
        return row?.['status'] === 'COMPLETED';
      },
      20_000,
      'the late answer to be recorded',
    );
    assert.equal((await lab.job(jobId)).status, 'CANCELLED');

    assert.equal((await redrive(jobId)).status, 202);
    const job = await lab.settled(jobId, ['SUCCEEDED']);
    assert.deepEqual([job.run, job.execution.redriveCount], [2, 1]);
    assert.equal(lab.provider.works.get(`${lab.pawl.runtime().tenantId}/probe:${key}`), 1);
    assert.equal(lab.provider.requestsOf(key).length, 1);
  });

  test('a job whose expiresAt passes while it runs is EXPIRED and its execution is stopped', async () => {
    const expiresAt = new Date(Date.now() + 2_000).toISOString();
    const { jobId } = await submit('slow-slow', {
      expiresAt,
      endsAs: ['EXPIRED'],
      notBefore: new Date(Date.now() + 500).toISOString(),
    });
    const job = await lab.settled(jobId, ['EXPIRED', 'SUCCEEDED']);
    assert.equal(job.status, 'EXPIRED');
    await lab.seenClosed(jobId);
  });

  test('a failure whose event got lost is found by asking Step Functions', async () => {
    const { jobId } = await submit('failing', { endsAs: ['FAILED'] });
    await lab.settled(jobId, ['FAILED']);
    // As if the event had never come: the state that a lost one leaves behind, past its owner's time.
    await lab.sql`
      with reopened as (
        update jobs set status = 'RUNNING', finished_at = null, failure = null, owner_until = now() - interval '1 second'
        where job_id = ${jobId} returning *
      )
      insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason)
      select job_id, tenant_id, run, 'test', 'FAILED', 'RUNNING', 'the event is lost' from reopened`;
    const job = await lab.settled(jobId, ['FAILED']);
    assert.equal(job.failure?.code, 'PROVIDER_UNAVAILABLE');
    const [row] = await lab.sql`
      select actor from job_events where job_id = ${jobId} order by event_no desc limit 1`;
    assert.equal(row?.['actor'], 'reconciler');
  });

  test('jobs of one ordering key run one after the other, a failed one holds them until it is redriven', async () => {
    const orderingKey = randomUUID();
    const first = await submit('first', { orderingKey });
    const second = await submit('failing', { orderingKey });
    const third = await submit('third', { orderingKey });
    const stranger = await submit('other');
    assert.equal((await lab.settled(stranger.jobId)).status, 'SUCCEEDED');
    assert.equal((await lab.settled(first.jobId)).status, 'SUCCEEDED');
    await lab.settled(second.jobId, ['FAILED']);
    assert.equal((await lab.job(third.jobId)).status, 'PENDING');
    recover(second.key);
    assert.equal((await redrive(second.jobId)).status, 202);
    await lab.settled(third.jobId, ['SUCCEEDED']);
    const order = await lab.sql<{ jobId: string }[]>`
      select job_id as "jobId" from jobs where ordering_key = ${orderingKey} order by finished_at`;
    assert.deepEqual(
      order.map(({ jobId }) => jobId),
      [first.jobId, second.jobId, third.jobId],
    );
    const [overlap] = await lab.sql`
      select count(*)::integer as count from jobs a join jobs b on a.ordering_key = b.ordering_key
      where a.ordering_key = ${orderingKey} and a.accepted_no < b.accepted_no and b.started_at < a.finished_at`;
    assert.equal(overlap?.['count'], 0);
  });
});

test('after all of it nothing is lost, doubled or left over', async () => {
  await comeToRest(lab, 60_000);
  assert.deepEqual(await violations(lab, { accepted, secrets: ['the bytes of'] }), []);
});
