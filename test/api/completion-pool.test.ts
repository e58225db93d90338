import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { pino } from 'pino';
import type { JobId } from '../../jobs/ids.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { listen } from '../../local/processes/listen.ts';
import { repeat } from '../../worker/repeat.ts';
import { createCompletions } from '../../worker/tell-completions.ts';
import { waitFor } from '../support/wait-for.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const log = pino({ level: 'silent' });
const keys = { slow: await api.keyFor('slow'), quick: await api.keyFor('quick') };

type Receiver = {
  readonly url: string;
  /** The ids of what it was told, in order. */
  readonly told: string[];
  /** Answers what waits, and everything from now on. */
  readonly answer: () => void;
};

async function startReceiver(hangs: boolean): Promise<Receiver> {
  let waiting: ServerResponse[] | undefined = hangs ? [] : undefined;
  const told: string[] = [];
  const server = createServer((request, response) => {
    told.push(String(request.headers['webhook-id']));
    request.resume();
    if (waiting === undefined) response.writeHead(204).end();
    else waiting.push(response);
  });
  const port = await listen(server, 0);
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}/`,
    told,
    answer: () => {
      for (const response of waiting ?? []) response.writeHead(204).end();
      waiting = undefined;
    },
  };
}

const places = { atOnce: 12, perTenant: 6, perReceiver: 3 };

function startPool() {
  const deps = { sql: api.sql, log, clock: () => new Date(), random: () => 0, allowPrivate: true };
  const pool = createCompletions(deps, places);
  const loop = repeat('completions', 50, () => pool.turn(), log);
  after(() => loop.end());
  return async (): Promise<void> => {
    await loop.stop();
    await pool.settled(10_000);
  };
}

async function finished(tenant: keyof typeof keys, { url }: Receiver): Promise<JobId> {
  const { body } = await call('POST', `${api.url}/jobs`, {
    key: keys[tenant],
    json: { type: 'echo', callback: { url } },
  });
  const jobId = body.jobId as JobId;
  const fence = { jobId, executionName: jobId, redriveCount: 0 };
  await finishJob(api.sql, fence, { status: 'SUCCEEDED', result: {} }, 'test');
  return jobId;
}

/** `more` runs of a job that are to be told of, all due before anything else. */
const addBacklog = async (jobId: JobId, more: number) => api.sql`
  insert into outbox (message_id, tenant_id, destination, message_type, job_id, receiver, envelope, next_attempt_at)
  select gen_random_uuid(), tenant_id, destination, message_type, job_id, receiver,
         jsonb_set(envelope, '{payload,run}', to_jsonb(n + 1)), now() - interval '1 hour'
  from outbox, generate_series(1, ${more}) n where job_id = ${jobId} and destination = 'webhook'`;

const openMessages = async () => {
  const [row] = await api.sql<{ count: number }[]>`
    select count(*)::integer as count from outbox where destination = 'webhook' and published_at is null`;
  return row?.count;
};

test('a receiver that hangs holds its own places; others, of its tenant and of others, are told at once', async () => {
  const hanging = await startReceiver(true);
  const [ownOther, foreign] = [await startReceiver(false), await startReceiver(false)];
  // More than are looked at for one claim.
  await addBacklog(await finished('slow', hanging), 600);
  for (let n = 0; n < 10; n += 1) await finished('slow', ownOther);
  for (let n = 0; n < 10; n += 1) await finished('quick', foreign);
  const stop = startPool();
  await waitFor(() => ownOther.told.length === 10 && foreign.told.length === 10, 10_000);
  assert.equal(hanging.told.length, places.perReceiver);
  hanging.answer();
  await waitFor(() => hanging.told.length > 10 * places.perReceiver, 10_000);
  await stop();
  assert.equal(new Set(hanging.told).size, hanging.told.length);
  await api.sql`update outbox set published_at = now() where destination = 'webhook'`;
});

test('a tenant all of whose receivers hang leaves the others their places', async () => {
  const hanging = await Promise.all([1, 2, 3, 4, 5].map(() => startReceiver(true)));
  const foreign = await startReceiver(false);
  for (const receiver of hanging) await addBacklog(await finished('slow', receiver), 5);
  for (let n = 0; n < 10; n += 1) await finished('quick', foreign);
  const stop = startPool();
  await waitFor(() => foreign.told.length === 10, 10_000);
  const held = hanging.reduce((sum, { told }) => sum + told.length, 0);
  assert.equal(held, places.perTenant);
  for (const receiver of hanging) receiver.answer();
  await waitFor(async () => (await openMessages()) === 0, 10_000);
  await stop();
});

test('several workers tell each receiver once', async () => {
  const receiver = await startReceiver(false);
  await addBacklog(await finished('quick', receiver), 99);
  const pools = [startPool(), startPool(), startPool()];
  await waitFor(async () => (await openMessages()) === 0, 20_000);
  await Promise.all(pools.map((stop) => stop()));
  assert.equal(receiver.told.length, 100);
  assert.equal(new Set(receiver.told).size, 100);
});
