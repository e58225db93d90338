import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';
import type { EffectPolicy } from '../../jobs/config.ts';
import type { EffectTiming } from '../../jobs/effect-log.ts';
import { connectTo } from '../support/connect-test.ts';
import { testDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';
import type { AttemptOrder } from './attempt-process.ts';
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
const provider = await startStubProvider();
const script = fileURLToPath(new URL('attempt-process.ts', import.meta.url));

function startAttempt(
  run: Run,
  policy: EffectPolicy,
  timing: EffectTiming = quickTiming,
): ChildProcess {
  const order: AttemptOrder = { databaseUrl, run, url: provider.url, policy, timing };
  const child = spawn(process.execPath, [script, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => child.kill('SIGKILL'));
  return child;
}

const postsOf = (run: Run) => provider.posts().filter(({ key }) => key.includes(run.key));

/** Kills an attempt while the provider works on its request. */
async function dieInCall(run: Run, policy: EffectPolicy): Promise<void> {
  provider.behave({ work: true, delayMs: 5_000 });
  const child = startAttempt(run, policy, { ...quickTiming, leaseMs: 5_000, callTimeoutMs: 4_000 });
  await waitFor(() => postsOf(run).length === 1, 10_000, 'the request');
  const [effect] = await effectsOf(sql, run);
  assert.equal(effect?.status, 'CALLING', 'the intention was committed before the call');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('an attempt killed in its call leaves a lease that nobody breaks', async () => {
  const run = await seedRun(sql);
  await dieInCall(run, 'repeat');
  assert.equal(
    await failureOf(attempt(sql, run, provider.url, 'repeat')),
    'Transient EFFECT_IN_PROGRESS',
  );
  assert.equal(postsOf(run).length, 1);
});

test('repeat: after the lease of a killed attempt the call is made again, with the same key', async () => {
  const run = await seedRun(sql);
  await dieInCall(run, 'repeat');
  await leaseOver(sql, run);
  await attempt(sql, run, provider.url, 'repeat');
  assert.deepEqual(new Set(postsOf(run).map(({ key }) => key)), new Set([`acme/${run.key}`]));
  assert.equal(postsOf(run).length, 2);
});

test('lookup: after the lease of a killed attempt the provider is asked', async () => {
  const run = await seedRun(sql);
  await dieInCall(run, 'lookup');
  await leaseOver(sql, run);
  const { replayed } = await attempt(sql, run, provider.url, 'lookup');
  assert.equal(replayed, true);
  assert.equal(postsOf(run).length, 1);
});

test('hold: after the lease of a killed attempt the effect is UNKNOWN and not called', async () => {
  const run = await seedRun(sql);
  await dieInCall(run, 'hold');
  await leaseOver(sql, run);
  assert.equal(
    await failureOf(attempt(sql, run, provider.url, 'hold')),
    'Terminal EFFECT_OUTCOME_UNKNOWN',
  );
  assert.equal(postsOf(run).length, 1);
  assert.equal((await effectsOf(sql, run))[0]?.status, 'UNKNOWN');
});

test('an attempt that slept over its lease (SIGSTOP) and wakes up with a failure changes nothing', async () => {
  const run = await seedRun(sql);
  provider.behave({ delayMs: 200, status: 500 });
  const child = startAttempt(run, 'repeat');
  const said = once(child.stdout ?? child, 'data').then(([text]) => String(text).trim());
  await waitFor(() => postsOf(run).length === 1, 10_000, 'the request');
  child.kill('SIGSTOP');
  await waitFor(async () => (await effectsOf(sql, run))[0]?.leased === false, 5_000, 'lease over');
  await attempt(sql, run, provider.url, 'repeat');
  const before = await effectsOf(sql, run);
  child.kill('SIGCONT');
  assert.equal(await said, 'success replayed', 'it takes what the other attempt achieved');
  assert.deepEqual(await effectsOf(sql, run), before);
  assert.equal(postsOf(run).length, 2);
});
