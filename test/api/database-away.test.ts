import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connectTo } from '../support/connect-test.ts';
import { waitFor } from '../support/wait-for.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');

const killBackends = () => api.sql`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;
/** The killer's own connection may be the one that is killed next. */
const killPatiently = () => killBackends().catch(() => undefined);

test('while connections are killed each 202 is one job, and the same request again is that job', async () => {
  const done = new AbortController();
  const killing = (async () => {
    while (!done.signal.aborted) {
      await killPatiently();
      await delay(50);
    }
  })();
  const submit = (index: number) =>
    call('POST', `${api.url}/jobs`, {
      key,
      json: { type: 'echo', input: { index } },
      headers: { 'idempotency-key': `kill-${index}` },
    });
  const ids = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const answer = await waitFor(async () => {
        const one = await submit(index);
        assert.ok([202, 503].includes(one.status), one.text);
        return one.status === 202 && one;
      }, 20_000);
      return answer.body.jobId;
    }),
  );
  done.abort();
  await killing;
  const again = await waitFor(async () => {
    const answers = await Promise.all(ids.map((_, index) => submit(index)));
    return answers.every((answer) => answer.status === 202) && answers;
  }, 20_000);
  assert.deepEqual(
    again.map((answer) => answer.body.jobId),
    ids,
  );
  const [counts] = await api.sql`
    select (select count(*)::integer from jobs) as jobs,
           (select count(*)::integer from outbox) as messages,
           (select count(*)::integer from job_events) as events`;
  assert.deepEqual({ ...counts }, { jobs: 200, messages: 200, events: 200 });
});

test('without a database the answer is 503 with Retry-After, and readiness says so', async () => {
  const away = await startApi({ sql: connectTo('postgres://127.0.0.1:9/none') });
  const answer = await call('POST', `${away.url}/jobs`, { key, json: { type: 'echo' } });
  assert.equal(answer.status, 503);
  assert.equal(answer.body.code, 'unavailable');
  assert.equal(answer.headers.get('retry-after'), '2');
  assert.equal((await call('GET', `${away.url}/readyz`)).status, 503);
  assert.equal((await call('GET', `${away.url}/healthz`)).status, 200);
});
