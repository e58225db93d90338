import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JobId, TenantId } from '../../jobs/ids.ts';
import { giveBackOpenJobPlace, takeOpenJobPlace } from '../../jobs/store/open-job-places.ts';
import { inTransaction } from '../../jobs/store/transaction.ts';
import { findFreePort } from '../../local/processes/free-port.ts';
import { connectTo } from '../support/connect-test.ts';
import { startServer } from '../support/start-server.ts';
import { testDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';
import { bucket, keyFor } from './app-deps.ts';
import { call } from './call.ts';

// Two processes of the API on one database, as behind a load balancer. No AWS service answers: nothing here needs one.
const { url } = await testDatabase();
const sql = connectTo(url);
const nowhere = 'http://127.0.0.1:9';
const startProcess = async (): Promise<string> => {
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}`;
  const env = {
    PORT: String(port),
    LOG_LEVEL: 'silent',
    DATABASE_URL: url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL: nowhere,
    JOB_REQUESTS_QUEUE_URL: `${nowhere}/000000000000/job-requests`,
    JOB_REQUESTS_DLQ_URL: `${nowhere}/000000000000/job-requests-dlq`,
    EXECUTION_EVENTS_QUEUE_URL: `${nowhere}/000000000000/execution-events`,
    EXECUTION_EVENTS_DLQ_URL: `${nowhere}/000000000000/execution-events-dlq`,
    STATE_MACHINE_ARN_PREFIX: 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-',
    PAYLOAD_BUCKET: bucket,
  };
  const running = await startServer('api/server.ts', env, `${address}/healthz`);
  after(() => running.end('SIGTERM'));
  return address;
};
const processes = [await startProcess(), await startProcess()];
const order = {
  type: 'order-settlement',
  input: {
    orderId: 'o-1',
    customerEmail: 'a@example.com',
    currency: 'IDR',
    items: [{ sku: 'serum-30', quantity: 1, unitPrice: 149_000 }],
  },
};

test('of 90 jobs that two processes are given at the same moment, a tenant that may have 20 open gets 20', async () => {
  const key = await keyFor(sql, 'crowd');
  await sql`update tenants set max_open_jobs = 20 where tenant_id = 'crowd'`;
  const answers = await Promise.all(
    Array.from({ length: 90 }, (_, index) =>
      call('POST', `${processes[index % 2]}/jobs`, { key, json: order }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 202).length, 20, String(statuses));
  assert.equal(statuses.filter((status) => status === 429).length, 70);
  const [row] = await sql`select count(*)::integer as count from jobs where tenant_id = 'crowd'`;
  assert.equal(row?.['count'], 20);
});

test('a submit that only repeats one, or is refused, gives its place back', async () => {
  const key = await keyFor(sql, 'again');
  await sql`update tenants set max_open_jobs = 2 where tenant_id = 'again'`;
  const submit = (json: object, idempotencyKey: string) =>
    call('POST', `${processes[0]}/jobs`, {
      key,
      json: { ...order, ...json },
      headers: { 'idempotency-key': idempotencyKey },
    });
  const unique = { uniqueKey: 'u' };
  assert.equal((await submit(unique, 'first')).status, 202);
  for (let tries = 0; tries < 3; tries += 1) {
    assert.equal((await submit(unique, 'first')).headers.get('idempotency-replayed'), 'true');
    assert.equal((await submit(unique, `other-${tries}`)).status, 409);
    assert.equal((await submit({}, 'first')).status, 422);
  }
  assert.equal((await submit({}, 'second')).status, 202);
  assert.equal((await submit({}, 'third')).status, 429);
});

test('a submit waits for the one before it to say whether it took the last place', async () => {
  const tenantId = 'last' as TenantId;
  const placeOf = (n: number) => ({
    tenantId,
    jobId: `0198e0a0-7c1e-7a4b-9d6a-3f0c5d1e2b5${n}` as JobId,
  });
  let second: Promise<boolean> | undefined;
  await inTransaction(sql, async (tx) => {
    assert.equal(await takeOpenJobPlace(tx, placeOf(1), 1), true);
    second = takeOpenJobPlace(sql, placeOf(2), 1);
    await waitFor(
      async () => {
        const waiting = await sql`select from pg_locks where locktype = 'advisory' and not granted`;
        return waiting.length === 1;
      },
      5_000,
      'the second to wait',
    );
  });
  assert.equal(await second, false);
});

test('a place whose submit died is free again a minute later', async () => {
  const tenantId = 'died' as TenantId;
  const placeOf = (n: number) => ({
    tenantId,
    jobId: `0198e0a0-7c1e-7a4b-9d6a-3f0c5d1e2b4${n}` as JobId,
  });
  assert.equal(await takeOpenJobPlace(sql, placeOf(1), 1), true);
  assert.equal(await takeOpenJobPlace(sql, placeOf(2), 1), false);
  await sql`update open_job_places set taken_at = taken_at - interval '61 seconds' where tenant_id = ${tenantId}`;
  assert.equal(await takeOpenJobPlace(sql, placeOf(2), 1), true);
  await giveBackOpenJobPlace(sql, placeOf(2).jobId);
  assert.equal(await takeOpenJobPlace(sql, placeOf(3), 1), true);
});

test('what one process has let in counts at the other a second later', async () => {
  const key = await keyFor(sql, 'shared');
  await sql`update tenants set requests_per_minute = 100000 where tenant_id = 'shared'`;
  const usedAt = async (process: string | undefined): Promise<number> => {
    const answer = await call('GET', `${process}/me`, { key });
    assert.equal(answer.status, 200, answer.text);
    return 100_000 - Number(/;r=(\d+);/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
  };
  // Each look is a request as well, and the count begins anew where a minute ends meanwhile.
  let looks = 0;
  const isTold = async (): Promise<boolean> => {
    await Promise.all(Array.from({ length: 100 }, () => usedAt(processes[0])));
    looks += 1;
    return (await usedAt(processes[1])) >= 100;
  };
  await waitFor(isTold, 10_000, 'the counts to be shared');
  assert.ok(looks < 100, 'it is not its own requests that the other one counts');
});
