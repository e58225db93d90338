import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { JobId } from '../../jobs/ids.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { storableText } from '../../jobs/failure.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');
const jobs = `${api.url}/jobs`;
const submitText = (body: string | Uint8Array<ArrayBuffer>) => call('POST', jobs, { key, body });

const storedInput = async (jobId: string): Promise<string> => {
  const [row] = await api.sql<{ input: string }[]>`
    select input::text as input from jobs where job_id = ${jobId}`;
  return row?.input ?? '';
};

test('NUL and lone surrogates are refused with their pointer, in values and in names', async () => {
  const cases = {
    '"a\\u0000b"': '/input',
    '{"deep":[1,{"x/y":"\\ud800"}]}': '/input/deep/1/x~1y',
    '["\\udc00\\ud800"]': '/input/0',
    '{"\\u0000":1}': '/input/\u0000',
  };
  for (const [input, pointer] of Object.entries(cases)) {
    const answer = await submitText(`{"type":"echo","input":${input}}`);
    assert.equal(answer.status, 400, input);
    assert.equal(answer.body.code, 'unstorable-value');
    assert.equal(answer.body.errors[0]?.pointer, pointer);
  }
});

test('an integer is stored digit for digit or refused, never rounded', async () => {
  const refused = [
    '9007199254740993',
    '-9007199254740993',
    '9007199254740993.0',
    '12345678901234567890',
    '1e400',
  ];
  for (const digits of refused) {
    const answer = await submitText(`{"type":"echo","input":{"id":${digits}}}`);
    assert.equal(answer.status, 400, digits);
    assert.equal(answer.body.errors[0]?.pointer, '/input/id');
  }
  for (const digits of ['9007199254740991', '-9007199254740991', '9007199254740992', '0']) {
    const answer = await submitText(`{"type":"echo","input":{"id":${digits}}}`);
    assert.equal(answer.status, 202, digits);
    assert.equal(await storedInput(answer.body.jobId), `{"id": ${digits}}`);
  }
});

test('any integer at all comes back digit for digit or is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), async (integer) => {
      const answer = await submitText(`{"type":"echo","input":[${integer}]}`);
      if (answer.status === 400) assert.ok(integer > 2n ** 53n || integer < -(2n ** 53n));
      else assert.equal(await storedInput(answer.body.jobId), `[${integer}]`);
    }),
    { numRuns: 60 },
  );
});

test('any JSON value that is accepted is stored as it was sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (input) => {
      const answer = await call('POST', jobs, { key, json: { type: 'echo', input } });
      const hasNul = JSON.stringify(input).includes('\\u0000');
      // As a name only: as a value it is a text like any other.
      const hasProto = JSON.stringify(input).includes('"__proto__":');
      assert.equal(answer.status, hasNul || hasProto ? 400 : 202, answer.text);
      if (answer.status === 202) {
        const stored: unknown = JSON.parse(await storedInput(answer.body.jobId));
        assert.deepEqual(stored, JSON.parse(JSON.stringify(input)));
      }
    }),
    { numRuns: 100 },
  );
});

test('what is not UTF-8 or not JSON is 400', async () => {
  const cut = new Uint8Array([
    ...Buffer.from('{"type":"echo","input":"'),
    0xf0,
    0x9f,
    ...Buffer.from('"}'),
  ]);
  for (const body of [cut, '{"type":', '{"type":"echo",}', 'NaN', '[1] 2']) {
    const answer = await submitText(body);
    assert.equal(answer.status, 400);
    assert.ok(['invalid-json', 'invalid-request'].includes(answer.body.code), answer.text);
  }
});

test('documents nested deeper than 64 levels are refused, also where they would break a recursive reader', async () => {
  for (const depth of [65, 100_000]) {
    const answer = await submitText(
      `{"type":"echo","input":${'['.repeat(depth)}${']'.repeat(depth)}}`,
    );
    assert.equal(answer.status, 400, `${depth}`);
  }
  const answer = await submitText(`{"type":"echo","input":${'['.repeat(60)}${']'.repeat(60)}}`);
  assert.equal(answer.status, 202);
});

const kib = 1024;
const asciiOf = (bytes: number): string => 'x'.repeat(bytes);
const emojiOf = (bytes: number): string => '\u{1F980}'.repeat(bytes / 4);

for (const [name, textOf] of Object.entries({ ASCII: asciiOf, 'four-byte UTF-8': emojiOf })) {
  test(`input of up to 256 KiB of ${name} is taken, above it is 413 with a pointer to uploads`, async () => {
    for (const size of [1, 64, 200, 255]) {
      const answer = await call('POST', jobs, {
        key,
        json: { type: 'echo', input: textOf(size * kib) },
      });
      assert.equal(answer.status, 202, `${size} KiB: ${answer.text}`);
    }
    for (const size of [257, 300, 900, 1100]) {
      const answer = await call('POST', jobs, {
        key,
        json: { type: 'echo', input: textOf(size * kib) },
      });
      assert.equal(answer.status, 413, `${size} KiB`);
      assert.equal(answer.body['uploads'], '/uploads');
    }
  });
}

test('the limit is on the value, not on how it is written: white space and escapes do not count', async () => {
  const escaped = JSON.stringify({ type: 'echo', input: emojiOf(200 * kib) }).replaceAll(
    /[^ -~]/gu,
    (character) => JSON.stringify(character).slice(1, -1),
  );
  const asEscapes = escaped.replaceAll('\u{1F980}', String.raw`\ud83e\udd80`);
  assert.equal((await submitText(asEscapes)).status, 202);
  assert.equal((await submitText(`{"type":"echo",${' '.repeat(500_000)}"input":1}`)).status, 202);
});

test('a failure whose text comes from a provider is shown whatever bytes it had', async () => {
  const { body } = await call('POST', jobs, { key, json: { type: 'echo' } });
  const fence = { jobId: body.jobId as JobId, executionName: body.jobId, redriveCount: 0 };
  const message = storableText(`provider said \u0000 and \ud800 \u{1F980}`);
  const failure = { code: 'EFFECT_REJECTED', message, retryable: false, state: 'Notify' } as const;
  await finishJob(api.sql, fence, { status: 'FAILED', failure }, 'test');
  const answer = await call('GET', `${jobs}/${body.jobId}`, { key });
  assert.equal(answer.body.status, 'FAILED');
  assert.deepEqual(answer.body['failure'], failure);
});
