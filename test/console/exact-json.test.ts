import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as holds, json, property } from 'fast-check';
import { formatExact, parseExact, tryParseExact } from '../../console/api/exact-json.ts';

test('a number that JavaScript cannot hold comes out as it went in', () => {
  for (const text of [
    '9007199254740993',
    '-18446744073709551616',
    '0.1000000000000000055511151231257827',
    '1e400',
    '123456789012345678901234567890.5',
  ]) {
    assert.equal(formatExact(parseExact(text)), text);
    assert.equal(formatExact(parseExact(`{"n":[${text}]}`), 0), `{"n": [${text}]}`);
  }
});

test('any other JSON means the same when it was shown', () => {
  holds(
    property(json(), (text) => {
      assert.deepEqual(JSON.parse(formatExact(parseExact(text))), JSON.parse(text));
    }),
  );
});

test('what is no JSON is told by undefined', () => {
  assert.equal(tryParseExact('{"half'), undefined);
  assert.equal(tryParseExact('null'), null);
});
