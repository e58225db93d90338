import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type Sql } from '../../jobs/store/connect.ts';
import { connectTo } from '../support/connect-test.ts';
import { testDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';
import { startCuttableProxy } from './cuttable-proxy.ts';
import {
  attempt,
  effectsOf,
  failureOf,
  leaseOver,
  quickTiming,
  type Run,
  seedRun,
} from './effect-fixture.ts';
import { startStubProvider } from './stub-provider.ts';

const { url: databaseUrl } = await testDatabase();
const sql = connectTo(databaseUrl);
const proxy = await startCuttableProxy(databaseUrl);
/** A pool that gives up soon. */
const connectCuttable = (): Sql =>
  connect({ url: proxy.url, poolSize: 1, statementTimeoutMs: 500, lockTimeoutMs: 500 }, 'test');
const provider = await startStubProvider();
const postsOf = (run: Run) => provider.posts().filter(({ key }) => key.includes(run.key));

test('without a committed intention nothing is sent', async () => {
  const run = await seedRun(sql);
  const cuttableSql = connectCuttable();
  proxy.cut();
  const failure = await failureOf(attempt(cuttableSql, run, provider.url, 'repeat'));
  await cuttableSql.end({ timeout: 0 });
  proxy.mend();
  assert.notEqual(failure, 'success');
  assert.equal(postsOf(run).length, 0);
});

test('a database that is away for a moment when the outcome is to be recorded does not lose it', async () => {
  const run = await seedRun(sql);
  const cuttableSql = connectCuttable();
  provider.behave({ work: true, delayMs: 100 });
  const timing = { leaseMs: 5_000, callTimeoutMs: 1_000, settleMs: 500, jitterMs: 0 };
  const running = attempt(cuttableSql, run, provider.url, 'hold', { timing });
  await waitFor(() => postsOf(run).length === 1, 5_000, 'the request');
  proxy.cut();
  await waitFor(() => provider.works.has(`acme/${run.key}`), 5_000, 'the work');
  // Longer than a statement is waited for.
  setTimeout(() => proxy.mend(), 2_500);
  await running;
  await cuttableSql.end({ timeout: 0 });
  assert.equal((await effectsOf(sql, run))[0]?.status, 'COMPLETED');
  assert.equal(postsOf(run).length, 1);
});

for (const [policy, expected, posts] of [
  ['repeat', 'success', 2],
  ['lookup', 'success', 1],
  ['hold', 'Terminal EFFECT_OUTCOME_UNKNOWN', 1],
] as const) {
  test(`${policy}: an outcome that could not be recorded within the lease is as unknown as after a crash`, async () => {
    const run = await seedRun(sql);
    const cuttableSql = connectCuttable();
    provider.behave({ work: true, delayMs: 100 });
    const timing = quickTiming;
    const running = failureOf(attempt(cuttableSql, run, provider.url, policy, { timing }));
    await waitFor(() => postsOf(run).length === 1, 5_000, 'the request');
    proxy.cut();
    const failure = await running;
    // Its statement would still be sent when the database is back, and be right to be.
    await cuttableSql.end({ timeout: 0 });
    proxy.mend();
    assert.notEqual(failure, 'success');
    assert.equal((await effectsOf(sql, run))[0]?.status, 'CALLING');
    await leaseOver(sql, run);
    assert.equal(await failureOf(attempt(sql, run, provider.url, policy)), expected);
    assert.equal(postsOf(run).length, posts);
  });
}
