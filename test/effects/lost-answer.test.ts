// Case E1: the provider did it, and we never got to know.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveEffect } from '../../jobs/store/resolve-effect.ts';
import { connectTest } from '../support/connect-test.ts';
import { attempt, effectsOf, failureOf, leaseOver, redriven, seedRun } from './effect-fixture.ts';
import { startStubProvider } from './stub-provider.ts';

const sql = await connectTest();
const provider = await startStubProvider();

const postsOf = (key: string) => provider.posts().filter((request) => request.key.includes(key));

test('repeat: a lost answer is asked for again with the same key, one effect', async () => {
  const run = await seedRun(sql);
  provider.behave({ work: true, cut: true });
  assert.equal(
    await failureOf(attempt(sql, run, provider.url, 'repeat')),
    'Transient PROVIDER_UNAVAILABLE',
  );
  const result = await attempt(sql, run, provider.url, 'repeat');
  assert.equal(result.replayed, false);
  const posts = postsOf(run.key);
  assert.deepEqual(
    posts.map(({ key }) => key),
    [`acme/${run.key}`, `acme/${run.key}`],
  );
  const [effect] = await effectsOf(sql, run);
  assert.equal(effect?.status, 'COMPLETED');
  assert.equal(effect?.attempts, 2);
});

test('lookup: the provider is asked, says it did it, and is not called again', async () => {
  const run = await seedRun(sql);
  provider.behave({ work: true, cut: true });
  assert.equal(
    await failureOf(attempt(sql, run, provider.url, 'lookup')),
    'Transient PROVIDER_UNAVAILABLE',
  );
  const result = await attempt(sql, run, provider.url, 'lookup');
  assert.equal(result.replayed, true);
  assert.equal(postsOf(run.key).length, 1);
  assert.equal((await effectsOf(sql, run))[0]?.status, 'COMPLETED');
});

test('lookup: "not found" counts only when lease and settle time are over', async () => {
  const run = await seedRun(sql);
  provider.behave({ cut: true });
  await failureOf(attempt(sql, run, provider.url, 'lookup'));
  assert.equal(
    await failureOf(attempt(sql, run, provider.url, 'lookup')),
    'Transient PROVIDER_UNAVAILABLE',
    'asked too early',
  );
  assert.equal(postsOf(run.key).length, 1);
  const [kept] = await sql`
    select lease_until > created_at + interval '4 seconds' as whole from external_effects
    where effect_key = ${run.key}`;
  assert.equal(kept?.['whole'], true, 'a call that broke off at once may go on at the provider’s');
  await leaseOver(sql, run);
  await attempt(sql, run, provider.url, 'lookup');
  assert.equal(postsOf(run.key).length, 2);
  assert.equal((await effectsOf(sql, run))[0]?.status, 'COMPLETED');
});

test('lookup: a provider that cannot answer the question is not called', async () => {
  const run = await seedRun(sql);
  provider.behave({ cut: true });
  await failureOf(attempt(sql, run, provider.url, 'lookup'));
  await leaseOver(sql, run);
  const lookup = () => ({ method: 'GET' as const, url: 'http://127.0.0.1:9/', headers: {} });
  assert.equal(
    await failureOf(attempt(sql, run, provider.url, 'lookup', { lookup })),
    'Transient PROVIDER_UNAVAILABLE',
  );
  assert.equal(postsOf(run.key).length, 1);
});

test('hold: one request, UNKNOWN, and no second call, not by a retry nor by a redrive, until a person says so', async () => {
  const run = await seedRun(sql);
  provider.behave({ work: true, cut: true });
  const unknown = 'Terminal EFFECT_OUTCOME_UNKNOWN';
  assert.equal(await failureOf(attempt(sql, run, provider.url, 'hold')), unknown);
  assert.equal(await failureOf(attempt(sql, run, provider.url, 'hold')), unknown);
  const second = await redriven(sql, run);
  assert.equal(await failureOf(attempt(sql, second, provider.url, 'hold')), unknown);
  assert.equal(
    await failureOf(attempt(sql, second, provider.url, 'repeat')),
    unknown,
    'also where the policy was changed meanwhile',
  );
  assert.equal(postsOf(run.key).length, 1);
  const [effect] = await effectsOf(sql, run);
  assert.equal(effect?.status, 'UNKNOWN');
});

test('a person’s verdict decides what a redrive does', async (t) => {
  const held = async () => {
    const run = await seedRun(sql);
    provider.behave({ work: true, cut: true });
    await failureOf(attempt(sql, run, provider.url, 'hold'));
    const [effect] = await effectsOf(sql, run);
    return { run, effectId: (effect?.effectId ?? '') as never };
  };
  const said = { providerReference: null, reason: 'asked the provider', actor: 'operator ann' };

  await t.test('completed: answered from the log, never called', async () => {
    const { run, effectId } = await held();
    const verdict = { ...said, verdict: 'completed' as const, providerReference: 'ref-7' };
    assert.equal(await resolveEffect(sql, effectId, verdict), run.fence.jobId);
    const second = await redriven(sql, run);
    const result = await attempt(sql, second, provider.url, 'hold');
    assert.deepEqual([result.reference, result.replayed], ['ref-7', true]);
    assert.equal(postsOf(run.key).length, 1);
    assert.equal(await resolveEffect(sql, effectId, verdict), undefined, 'only what is held');
    const [audit] = await sql`
      select actor, reason, details from job_events
      where job_id = ${run.fence.jobId} and actor = 'operator ann'`;
    assert.equal(audit?.['details'].verdict, 'completed');
  });

  await t.test('not done: called again', async () => {
    const { run, effectId } = await held();
    await resolveEffect(sql, effectId, { ...said, verdict: 'not-done' });
    await attempt(sql, await redriven(sql, run), provider.url, 'hold');
    assert.equal(postsOf(run.key).length, 2);
    assert.equal((await effectsOf(sql, run))[0]?.status, 'COMPLETED');
  });

  await t.test('abandon: never called again', async () => {
    const { run, effectId } = await held();
    await resolveEffect(sql, effectId, { ...said, verdict: 'abandon' });
    const second = await redriven(sql, run);
    assert.equal(
      await failureOf(attempt(sql, second, provider.url, 'hold')),
      'Terminal EFFECT_ABANDONED',
    );
    assert.equal(postsOf(run.key).length, 1);
  });
});
