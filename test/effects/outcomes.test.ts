// The table of docs/decisions/effect-log.md against a real provider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EffectPolicy } from '../../jobs/config.ts';
import { connectTest } from '../support/connect-test.ts';
import { findFreePort } from '../../local/processes/free-port.ts';
import { attempt, effectsOf, failureOf, quickTiming, redriven, seedRun } from './effect-fixture.ts';
import { type Behaviour, startStubProvider } from './stub-provider.ts';

const sql = await connectTest();
const provider = await startStubProvider();
const policies: readonly EffectPolicy[] = ['repeat', 'lookup', 'hold'];
const postsOf = (key: string) => provider.posts().filter((request) => request.key.includes(key));

const notDone: readonly (readonly [string, Behaviour])[] = [
  ['425', { status: 425 }],
  ['429', { status: 429 }],
  ['503 with Retry-After', { status: 503, headers: { 'retry-after': '0' } }],
];
for (const policy of policies) {
  for (const [name, behaviour] of notDone) {
    test(`${policy}: ${name} is known not done: INTENDED, Transient, called again`, async () => {
      const run = await seedRun(sql);
      provider.behave(behaviour);
      assert.equal(
        await failureOf(attempt(sql, run, provider.url, policy)),
        'Transient PROVIDER_UNAVAILABLE',
      );
      assert.equal((await effectsOf(sql, run))[0]?.status, 'INTENDED');
      await attempt(sql, run, provider.url, policy);
      assert.equal((await effectsOf(sql, run))[0]?.status, 'COMPLETED');
      assert.equal(postsOf(run.key).length, 2);
    });
  }

  test(`${policy}: a connection that cannot be made is known not done`, async () => {
    const closed = `http://127.0.0.1:${await findFreePort()}/`;
    const noTls = provider.url.replace('http:', 'https:');
    const noName = 'http://provider.invalid/';
    for (const url of [closed, noTls, noName]) {
      const run = await seedRun(sql);
      assert.equal(
        await failureOf(attempt(sql, run, url, policy)),
        'Transient PROVIDER_UNAVAILABLE',
        url,
      );
      assert.equal((await effectsOf(sql, run))[0]?.status, 'INTENDED', url);
    }
  });

  for (const status of [400, 401, 404, 409, 410, 422, 301, 307]) {
    test(`${policy}: ${status} is a refusal: REJECTED, Terminal, not called again in this run`, async () => {
      const run = await seedRun(sql);
      provider.behave({ status, body: 'no', headers: { location: provider.url } });
      const rejected = 'Terminal EFFECT_REJECTED';
      assert.equal(await failureOf(attempt(sql, run, provider.url, policy)), rejected);
      assert.equal(await failureOf(attempt(sql, run, provider.url, policy)), rejected);
      assert.equal(postsOf(run.key).length, 1);
      const [effect] = await effectsOf(sql, run);
      assert.deepEqual([effect?.status, effect?.response], ['REJECTED', { status, body: 'no' }]);
    });
  }

  const unknowns: readonly (readonly [string, Behaviour])[] = [
    ['a reset', { cut: true }],
    ['a timeout', { delayMs: 800 }],
    ['408', { status: 408 }],
    ['500', { status: 500 }],
    ['503 without Retry-After', { status: 503 }],
  ];
  for (const [name, behaviour] of unknowns) {
    test(`${policy}: ${name} leaves the outcome unknown`, async () => {
      const run = await seedRun(sql);
      provider.behave(behaviour);
      const timing = name === 'a timeout' ? { timing: { ...quickTiming, leaseMs: 5_000 } } : {};
      const failure = await failureOf(attempt(sql, run, provider.url, policy, timing));
      const [effect] = await effectsOf(sql, run);
      assert.deepEqual(
        [failure, effect?.status, effect?.leased],
        policy === 'hold'
          ? ['Terminal EFFECT_OUTCOME_UNKNOWN', 'UNKNOWN', false]
          : // What was sent may still be at work: "not found" counts from the end of the whole lease.
            ['Transient PROVIDER_UNAVAILABLE', 'CALLING', policy === 'lookup'],
      );
    });
  }
}

test('a completed effect is answered from the log, by every later attempt, run and job', async () => {
  const run = await seedRun(sql);
  provider.behave({ work: true, body: '{"reference":"r-1"}' });
  const referenceOf = ({ body }: { body: string }): string => JSON.parse(body).reference;
  const first = await attempt(sql, run, provider.url, 'repeat', { referenceOf });
  assert.deepEqual(first, {
    reference: 'r-1',
    response: { status: 200, body: '{"reference":"r-1"}' },
    replayed: false,
  });
  const later = [
    () => run,
    () => redriven(sql, run),
    async () => ({ ...(await seedRun(sql)), key: run.key }),
  ];
  for (const again of later) {
    const result = await attempt(sql, await again(), provider.url, 'repeat');
    assert.deepEqual(result, { ...first, replayed: true });
  }
  assert.equal(postsOf(run.key).length, 1);
});

test('a refused effect may be called again after a redrive, as #2, and then as #3', async () => {
  const run = await seedRun(sql);
  provider.behave({ status: 400 }, { status: 400 });
  await failureOf(attempt(sql, run, provider.url, 'repeat'));
  const second = await redriven(sql, run, 1);
  assert.equal(
    await failureOf(attempt(sql, second, provider.url, 'repeat')),
    'Terminal EFFECT_REJECTED',
  );
  assert.equal(
    await failureOf(attempt(sql, second, provider.url, 'repeat')),
    'Terminal EFFECT_REJECTED',
    'not twice in one run',
  );
  await attempt(sql, await redriven(sql, run, 2), provider.url, 'repeat');
  assert.deepEqual(
    postsOf(run.key).map(({ key }) => key),
    [`acme/${run.key}`, `acme/${run.key}#2`, `acme/${run.key}#3`],
  );
  assert.deepEqual(
    (await effectsOf(sql, run)).map(({ status }) => status),
    ['REJECTED', 'REJECTED', 'COMPLETED'],
  );
});

test('Retry-After is honoured within the run; a redrive asks again at once', async () => {
  const run = await seedRun(sql);
  provider.behave({ status: 429, headers: { 'retry-after': '60' } });
  await failureOf(attempt(sql, run, provider.url, 'repeat'));
  assert.equal(
    await failureOf(attempt(sql, run, provider.url, 'repeat')),
    'Transient PROVIDER_UNAVAILABLE',
  );
  assert.equal(postsOf(run.key).length, 1, 'not called while it asked to wait');
  await attempt(sql, await redriven(sql, run), provider.url, 'repeat');
  assert.equal(postsOf(run.key).length, 2);
});

test('the same key for other content is terminal, whatever became of it, and nothing is called', async () => {
  const run = await seedRun(sql);
  await attempt(sql, run, provider.url, 'repeat');
  const other = attempt(sql, run, provider.url, 'repeat', { content: { order: 'another' } });
  assert.equal(await failureOf(other), 'Terminal EFFECT_HASH_MISMATCH');
  assert.equal(postsOf(run.key).length, 1);
});

test('the order of keys in the content does not make it another content', async () => {
  const run = await seedRun(sql);
  await attempt(sql, run, provider.url, 'repeat', { content: { a: 1, b: 2 } });
  const again = await attempt(sql, run, provider.url, 'repeat', { content: { b: 2, a: 1 } });
  assert.equal(again.replayed, true);
});

test('an answer with NUL, broken UTF-8 and a megabyte of it is kept, cut and storable', async () => {
  const done = await seedRun(sql);
  const body = Buffer.concat([
    Buffer.from('a\u0000b'),
    Buffer.from([0xff, 0xfe]),
    Buffer.alloc(1e6, 0x78),
  ]);
  provider.behave({ work: true, body });
  await attempt(sql, done, provider.url, 'repeat');
  const [completed] = await effectsOf(sql, done);
  assert.ok(completed?.response?.body.startsWith('a\u{FFFD}b'));
  assert.ok(Buffer.byteLength(completed?.response?.body ?? '') <= 8 * 1024);
  const refused = await seedRun(sql);
  provider.behave({ status: 400, body });
  assert.equal(
    await failureOf(attempt(sql, refused, provider.url, 'repeat')),
    'Terminal EFFECT_REJECTED',
  );
  assert.equal((await effectsOf(sql, refused))[0]?.status, 'REJECTED');
});

test('a mistake of our own before anything is sent is Terminal TASK_FAULT, and leaves the effect INTENDED', async () => {
  const run = await seedRun(sql);
  const request = () => {
    throw new TypeError('a secret that is not base64');
  };
  await assert.rejects(attempt(sql, run, provider.url, 'hold', { request }), {
    name: 'Terminal',
    code: 'TASK_FAULT',
  });
  assert.equal((await effectsOf(sql, run))[0]?.status, 'INTENDED');
  assert.equal(postsOf(run.key).length, 0);
});

test('a URL or header that cannot be sent is known not done', async () => {
  for (const bad of [
    { url: 'nowhere' },
    { url: 'ftp://127.0.0.1/' },
    { url: provider.url, headers: { 'x-broken': 'line\nbreak' } },
  ]) {
    const run = await seedRun(sql);
    const request = () => ({ method: 'POST' as const, headers: {}, body: '{}', ...bad });
    assert.equal(
      await failureOf(attempt(sql, run, provider.url, 'hold', { request })),
      'Transient PROVIDER_UNAVAILABLE',
    );
    assert.equal((await effectsOf(sql, run))[0]?.status, 'INTENDED');
  }
});
