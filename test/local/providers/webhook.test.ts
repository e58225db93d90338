import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { findFreePort } from '../../../local/processes/free-port.ts';
import { startServer } from '../../support/start-server.ts';

const port = await findFreePort();
const url = `http://127.0.0.1:${port}`;
const provider = await startServer(
  'local/providers/webhook.ts',
  { WEBHOOK_PORT: String(port) },
  `${url}/health`,
);
after(() => provider.end('SIGTERM'));

beforeEach(async () => {
  await fetch(`${url}/requests`, { method: 'DELETE' });
  await behave({});
});

async function behave(behaviour: object): Promise<Response> {
  return await fetch(`${url}/behaviour`, { method: 'PUT', body: JSON.stringify(behaviour) });
}

async function post(key: string): Promise<[status: number, body: unknown]> {
  const response = await fetch(`${url}/webhook`, {
    method: 'POST',
    headers: { 'idempotency-key': key },
    body: '{"hello":"world"}',
  });
  return [response.status, await response.json()];
}

interface Done {
  readonly effects: number;
  readonly requests: readonly {
    readonly key: string;
    readonly outcome: string;
    readonly body: string;
  }[];
}

async function did(): Promise<Done> {
  return (await (await fetch(`${url}/requests`)).json()) as Done;
}

test('the same key has one effect and gets the same answer', async () => {
  assert.deepEqual(await post('a'), [200, { effect: 1 }]);
  assert.deepEqual(await post('a'), [200, { effect: 1 }]);
  assert.deepEqual(await post('b'), [200, { effect: 2 }]);
  const { effects, requests } = await did();
  assert.equal(effects, 2);
  assert.deepEqual(
    requests.map(({ key, outcome, body }) => [key, outcome, body]),
    [
      ['a', 'answered', '{"hello":"world"}'],
      ['a', 'repeated', '{"hello":"world"}'],
      ['b', 'answered', '{"hello":"world"}'],
    ],
  );
});

test('told not to honour keys, it does the work again', async () => {
  await behave({ honourKeys: false });
  await post('a');
  await post('a');
  assert.equal((await did()).effects, 2);
});

test('told to drop the answer, it has done the work; the next request finds that out', async () => {
  await behave({ answer: 'drop', times: 1 });
  await assert.rejects(post('a'), { name: 'TypeError' });
  assert.equal((await did()).effects, 1);
  assert.deepEqual(await post('a'), [200, { effect: 1 }]);
});

test('told to fail or refuse, it does nothing, as often as told', async () => {
  await behave({ answer: 'fail', status: 503, headers: { 'retry-after': '1' }, times: 2 });
  assert.equal((await post('a'))[0], 503);
  assert.equal((await post('a'))[0], 503);
  assert.equal((await post('a'))[0], 200);
  await behave({ answer: 'refuse', times: 1 });
  await assert.rejects(post('b'), { name: 'TypeError' });
  assert.equal((await did()).effects, 1);
});

test('a behaviour it does not know is refused, naming the field', async () => {
  const response = await behave({ answer: 'sulk' });
  assert.equal(response.status, 400);
  assert.match(JSON.stringify(await response.json()), /answer/);
});
