// Whatever a provider does and however often a task is tried: seeds are printed by fast-check when one fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { connectTest } from '../support/connect-test.ts';
import { attempt, effectsOf, failureOf, leaseOver, redriven, seedRun } from './effect-fixture.ts';
import { type Behaviour, startStubProvider } from './stub-provider.ts';

const sql = await connectTest();
const provider = await startStubProvider();

const behaviour: fc.Arbitrary<Behaviour> = fc.constantFrom<Behaviour>(
  { work: true },
  { work: true, cut: true },
  { work: true, status: 500 },
  { cut: true },
  { status: 500 },
  { status: 429 },
  { status: 400 },
  { status: 503, headers: { 'retry-after': '0' } },
);
const step = fc.record({
  behaviour,
  before: fc.constantFrom('nothing', 'the lease is over', 'a redrive'),
});

for (const policy of ['lookup', 'hold'] as const) {
  test(`${policy}: the provider never does the work twice, and nothing is called once it is done or unknown`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        let run = await seedRun(sql);
        let redrives = 0;
        for (const { behaviour, before } of steps) {
          if (before === 'the lease is over') await leaseOver(sql, run);
          if (before === 'a redrive') run = await redriven(sql, run, ++redrives);
          const calledBefore = postsOf(run.key);
          const statuses = (await effectsOf(sql, run)).map(({ status }) => status);
          provider.behave(behaviour);
          const outcome = await failureOf(attempt(sql, run, provider.url, policy));
          const called = postsOf(run.key) - calledBefore;
          if (called === 0) provider.forget();
          if (statuses.includes('COMPLETED') || statuses.includes('UNKNOWN')) {
            assert.equal(called, 0, `called although ${statuses.join(', ')}`);
          }
          if (outcome === 'success') assert.equal(worksOf(run.key), 1);
        }
        assert.ok(worksOf(run.key) <= 1, 'done twice');
      }),
      { numRuns: 60 },
    );
  });
}

const postsOf = (key: string): number =>
  provider.posts().filter((request) => request.key.includes(key)).length;

const worksOf = (key: string): number =>
  [...provider.works].reduce((sum, [name, count]) => sum + (name.includes(key) ? count : 0), 0);
