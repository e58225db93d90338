import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withEffect } from '../../jobs/effect-log.ts';
import { recordCompleted, recordSetback } from '../../jobs/store/effects.ts';
import { connectTest } from '../support/connect-test.ts';
import { waitFor } from '../support/wait-for.ts';
import {
  attempt,
  effectsOf,
  failureOf,
  leaseOver,
  quickTiming,
  redriven,
  type Run,
  seedRun,
} from './effect-fixture.ts';
import { startStubProvider } from './stub-provider.ts';

const sql = await connectTest();
const provider = await startStubProvider();
const postsOf = (run: Run) => provider.posts().filter(({ key }) => key.includes(run.key));

test('of twenty attempts at once one calls; the others find it in progress or done', async () => {
  const run = await seedRun(sql);
  provider.behave({ work: true, delayMs: 100 });
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => failureOf(attempt(sql, run, provider.url, 'hold'))),
  );
  assert.equal(postsOf(run).length, 1);
  assert.ok(outcomes.includes('success'));
  assert.deepEqual(
    outcomes.filter(
      (outcome) => outcome !== 'success' && outcome !== 'Transient EFFECT_IN_PROGRESS',
    ),
    [],
  );
});

test('of twenty attempts at once after a dead lease one takes it', async () => {
  const run = await seedRun(sql);
  provider.behave({ cut: true });
  await failureOf(attempt(sql, run, provider.url, 'repeat'));
  provider.behave({ work: true, delayMs: 100 });
  await Promise.all(
    Array.from({ length: 20 }, () => failureOf(attempt(sql, run, provider.url, 'repeat'))),
  );
  assert.equal(postsOf(run).length, 2);
});

test('a call that ignores its signal is over for us before the lease is', async () => {
  const run = await seedRun(sql);
  const startedAt = performance.now();
  const never = new Promise<never>(() => undefined);
  const effect = { ...effectOf(run), policy: 'repeat' as const };
  const called = withEffect({ sql, timing: quickTiming }, effect, { call: () => never });
  assert.equal(await failureOf(called), 'Transient PROVIDER_UNAVAILABLE');
  assert.ok(performance.now() - startedAt < quickTiming.leaseMs + 100);
});

test('a provider is called again after the wait that chance gives, and at first at once', async () => {
  const run = await seedRun(sql);
  let throws = 0;
  const random = (): number => {
    throws += 1;
    return 0.5;
  };
  const deps = { sql, timing: { ...quickTiming, jitterMs: 1_000 }, random };
  const effect = { ...effectOf(run), policy: 'repeat' as const };
  let calledAt = 0;
  const call = async () => {
    calledAt = performance.now();
    return { kind: 'not-done', message: 'busy' } as const;
  };
  const outcome = async () => await failureOf(withEffect(deps, effect, { call }));
  assert.equal(await outcome(), 'Transient PROVIDER_UNAVAILABLE');
  assert.equal(throws, 0);
  const againAt = performance.now();
  assert.equal(await outcome(), 'Transient PROVIDER_UNAVAILABLE');
  assert.equal(throws, 1);
  assert.ok(calledAt - againAt >= 490, `${calledAt - againAt} ms`);
});

const effectOf = (run: Run) => ({
  fence: run.fence,
  tenantId: run.tenantId as never,
  key: run.key,
  provider: 'stub',
  operation: 'confirm',
  requestHash: 'a'.repeat(64),
});

test('under a lost token a failure changes nothing, a late 2xx is recorded', async (t) => {
  const lost = async () => {
    const run = await seedRun(sql);
    provider.behave({ cut: true });
    await failureOf(attempt(sql, run, provider.url, 'repeat'));
    const [effect] = await effectsOf(sql, run);
    return { run, effectId: (effect?.effectId ?? '') as never };
  };
  const setback = { error: 'late', response: null, retryAfterSeconds: null };
  const completion = { reference: 'late', response: { status: 200, body: 'late' } };

  await t.test('a failure', async () => {
    const { run, effectId } = await lost();
    const before = await effectsOf(sql, run);
    const lease = { effectId, token: crypto.randomUUID() };
    for (const status of ['INTENDED', 'CALLING', 'REJECTED', 'UNKNOWN'] as const) {
      assert.equal(await recordSetback(sql, lease, { ...setback, status }), false);
    }
    assert.deepEqual(await effectsOf(sql, run), before);
  });

  for (const status of ['INTENDED', 'CALLING', 'REJECTED', 'UNKNOWN', 'ABANDONED']) {
    await t.test(`a 2xx on ${status}`, async () => {
      const { run, effectId } = await lost();
      await sql`
        update external_effects set status = ${status},
          lease_token = case when ${status} = 'CALLING' then lease_token end,
          lease_until = case when ${status} = 'CALLING' then lease_until end
        where effect_id = ${effectId}`;
      await recordCompleted(sql, effectId, completion);
      assert.equal((await effectsOf(sql, run))[0]?.status, 'COMPLETED');
    });
  }

  await t.test('a 2xx on COMPLETED', async () => {
    const { run, effectId } = await lost();
    await attempt(sql, run, provider.url, 'repeat');
    const before = await effectsOf(sql, run);
    const kept = await recordCompleted(sql, effectId, completion);
    assert.notEqual(kept.reference, 'late', 'the first answer stays the answer');
    assert.deepEqual(await effectsOf(sql, run), before);
  });
});

test('an older execution or redrive count writes no intention and calls nobody', async () => {
  const run = await seedRun(sql);
  await redriven(sql, run);
  const notRunnable = 'Terminal JOB_NOT_RUNNABLE';
  assert.equal(await failureOf(attempt(sql, run, provider.url, 'repeat')), notRunnable);
  const restarted = { ...run, fence: { ...run.fence, executionName: `${run.fence.jobId}-r2` } };
  assert.equal(await failureOf(attempt(sql, restarted, provider.url, 'repeat')), notRunnable);
  assert.equal((await effectsOf(sql, run)).length, 0);
  assert.equal(postsOf(run).length, 0);
});

test('an older redrive count takes no effect that it left behind', async () => {
  const run = await seedRun(sql);
  provider.behave({ cut: true });
  await failureOf(attempt(sql, run, provider.url, 'repeat'));
  const second = await redriven(sql, run);
  await leaseOver(sql, run);
  assert.equal(
    await failureOf(attempt(sql, run, provider.url, 'repeat')),
    'Terminal JOB_NOT_RUNNABLE',
  );
  assert.equal(postsOf(run).length, 1);
  await attempt(sql, second, provider.url, 'repeat');
  assert.equal((await effectsOf(sql, run))[0]?.redriveCount, 1);
});

test('a job that is cancelled while its provider works keeps what the provider did', async () => {
  const run = await seedRun(sql);
  provider.behave({ work: true, delayMs: 150 });
  const running = attempt(sql, run, provider.url, 'hold');
  await waitFor(() => postsOf(run).length === 1, 5_000, 'the request');
  await sql`
    update jobs set status = 'CANCELLED', finished_at = now() where job_id = ${run.fence.jobId}`;
  await running;
  assert.equal((await effectsOf(sql, run))[0]?.status, 'COMPLETED');
});
