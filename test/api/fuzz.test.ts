import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { call } from './call.ts';
import { arbitraryOf, type Making, memberOf } from './fuzz/arbitrary-of-schema.ts';
import { type Operation, operationsOf } from './fuzz/operations.ts';
import { startApi } from './start-api.ts';

// Schemathesis's idea (https://schemathesis.readthedocs.io) on our own document: requests that fit it and requests
// that nearly do; no answer is a 5xx, and each fits the schema of its status.
const requestsEach = 60;

const api = await startApi();
const keys = [await api.keyFor('acme'), await api.keyFor(null), await api.keyFor('other')];
const { body } = await call('POST', `${api.url}/jobs`, {
  key: keys[0] ?? '',
  json: { type: 'echo' },
});
const operations = operationsOf((await call('GET', `${api.url}/openapi.json`)).text);

/** These ask an AWS service, and none is there: they may say so. */
const isUnreachable = (status: number, text: string): boolean =>
  status === 503 && text.includes('"code":"unavailable"');

type Sent = {
  readonly key: string;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly json: unknown;
};

const known = {
  jobId: [body.jobId],
  type: ['echo', 'strict'],
  bucket: ['pawl-payloads'],
  key: ['payloads/acme/a', 'payloads/other/b'],
  expiresAt: [undefined, new Date(Date.now() + 3_600_000).toISOString()],
  notBefore: [undefined],
  cursor: [undefined],
};

/** Half of the requests fit their schemas; in the others one value of five is spoilt. */
const requestsOf = (operation: Operation): fc.Arbitrary<Sent> =>
  fc.constantFrom(0, 20).chain((spoiltPercent) => requestOf(operation, { known, spoiltPercent }));

function requestOf(operation: Operation, making: Making): fc.Arbitrary<Sent> {
  const partOf = (place: string) => {
    const parameters = operation.parameters.filter((parameter) => parameter.in === place);
    const values = parameters.map(({ name, schema }) => [name, memberOf(name, schema, making)]);
    return fc.record(Object.fromEntries(values) as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: parameters.filter((parameter) => parameter.required).map(({ name }) => name),
    });
  };
  return fc.record({
    key: fc.constantFrom(...keys),
    path: partOf('path'),
    query: partOf('query'),
    headers: partOf('header'),
    json:
      operation.body === undefined ? fc.constant(undefined) : arbitraryOf(operation.body, making),
  });
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
const encode = (value: unknown): string => encodeURIComponent(asText(value).toWellFormed());

async function send(operation: Operation, sent: Sent) {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encode(sent.path[name]),
  );
  const query = Object.entries(sent.query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encode(value)}`);
  const headers = Object.entries(sent.headers).map(([name, value]) => [
    name,
    asText(value)
      .replaceAll(/[^\x20-\x7e]/g, '?')
      .replace(/wait=\d+/, 'wait=0'),
  ]);
  return await call(operation.method, `${api.url}${path === '' ? '/' : path}?${query.join('&')}`, {
    key: sent.key,
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(sent.json === undefined ? {} : { json: sent.json }),
  });
}

for (const operation of operations) {
  // A stream of an open job does not end; wait.test.ts reads it.
  if (operation.operationId === 'streamJobEvents') continue;
  test(`${operation.method} ${operation.path} answers whatever it is sent as its schema says`, async () => {
    await fc.assert(
      fc.asyncProperty(requestsOf(operation), async (sent) => {
        const answer = await send(operation, sent);
        const told = `${answer.status} ${answer.text.slice(0, 500)}`;
        assert.ok(answer.status < 500 || isUnreachable(answer.status, answer.text), told);
        const check = operation.responseCheck(answer.status);
        assert.ok(check !== undefined, `the document has no ${told}`);
        if (check === 'no-json') return;
        assert.ok(
          check.Check(answer.body),
          `${JSON.stringify(check.Errors(answer.body))} in ${told}`,
        );
      }),
      { numRuns: requestsEach },
    );
  });
}

// PostgreSQL stores no NUL, and what chance spoils seldom is one.
test('a NUL in any text of a path or a query is refused, and never a fault of ours', async () => {
  for (const operation of operations) {
    const valid = (name: string): unknown => (name === 'jobId' ? body.jobId : 'x');
    const named = operation.parameters.filter(
      ({ in: place }) => place === 'path' || place === 'query',
    );
    for (const spoilt of named) {
      const valueOf = (name: string): unknown => (name === spoilt.name ? 'a\u0000b' : valid(name));
      const path = named
        .filter(({ in: place }) => place === 'path')
        .map(({ name }) => [name, valueOf(name)]);
      const sent = {
        key: keys[1] ?? '',
        headers: {},
        json: operation.body === undefined ? undefined : {},
      };
      const query = spoilt.in === 'query' ? { [spoilt.name]: valueOf(spoilt.name) } : {};
      const { status, text } = await send(operation, {
        ...sent,
        path: Object.fromEntries(path),
        query,
      });
      const where = `${operation.method} ${operation.path}, ${spoilt.name}: ${status} ${text.slice(0, 200)}`;
      assert.ok(status < 500 || isUnreachable(status, text), where);
    }
  }
});
