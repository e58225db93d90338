import assert from 'node:assert/strict';
import test from 'node:test';
import { chooseNext } from '../../../local/stepfunctions/language/choose-next.ts';
import type { Json, JsonObject } from '../../../local/stepfunctions/language/json.ts';
import { causePrefix, failureOf, scopeOf, stateOf } from './scope-of.ts';

async function isMatch(rule: JsonObject, input: Json): Promise<boolean> {
  const state = stateOf('Choice', { Choices: [{ ...rule, Next: 'Yes' }], Default: 'No' });
  return (await chooseNext(state, scopeOf(input))).next === 'Yes';
}

/** Each rule with a value of `$.v` that it takes and values that it does not. */
const rules: [JsonObject, Json, Json[]][] = [
  [{ StringEquals: 'a' }, 'a', ['b', 1, null]],
  [{ StringLessThan: 'b' }, 'a', ['b', 'c', 1]],
  [{ StringGreaterThanEquals: 'b' }, 'b', ['a', 1]],
  [{ StringMatches: 'log-*.txt' }, 'log-a.b.txt', ['log.txt', 'xlog-a.txt', 1]],
  [{ StringMatches: 'a\\*b\\\\*' }, 'a*b\\c', ['axb\\c', 'a*bc']],
  [{ NumericEquals: 1 }, 1.0, ['1', 2, null, true]],
  [{ NumericLessThanEquals: 1 }, 1, [1.1, '0']],
  [{ NumericGreaterThan: -1 }, 0, [-1, '5']],
  [{ BooleanEquals: false }, false, [true, null, 0, 'false']],
  [
    { TimestampEquals: '2020-01-01T00:00:00Z' },
    '2020-01-01T01:00:00+01:00',
    ['2020-01-01', 1577836800],
  ],
  [
    { TimestampLessThan: '2020-01-01T00:00:00.5Z' },
    '2020-01-01T00:00:00Z',
    ['2020-01-01T00:00:01Z', 'x'],
  ],
  [{ IsNull: true }, null, [0, '']],
  [{ IsString: true }, '', [0, null]],
  [{ IsNumeric: false }, '1', [1]],
  [{ IsBoolean: true }, false, ['true']],
  [
    { IsTimestamp: true },
    '2024-02-29T23:59:59Z',
    ['2023-02-29T00:00:00Z', '2023-01-01T24:00:00Z', '2023-01-01 00:00:00Z', 5],
  ],
  [{ IsPresent: true }, null, []],
];

for (const [rule, taken, others] of rules) {
  void test(`${JSON.stringify(rule)} takes ${JSON.stringify(taken)} only`, async () => {
    const full = { Variable: '$.v', ...rule };
    assert.equal(await isMatch(full, { v: taken }), true);
    for (const other of others) {
      assert.equal(await isMatch(full, { v: other }), false, JSON.stringify(other));
    }
  });
}

void test('a …Path operator compares with the value at that path', async () => {
  const rule = { Variable: '$.v', NumericLessThanPath: '$.limit' };
  assert.equal(await isMatch(rule, { v: 1, limit: 2 }), true);
  assert.equal(await isMatch(rule, { v: 1, limit: '2' }), false);
});

void test('And, Or and Not combine rules, and stop as soon as they can', async () => {
  const isNumber = { Variable: '$.v', IsNumeric: true };
  const absent = { Variable: '$.absent', NumericEquals: 1 };
  assert.equal(
    await isMatch({ And: [isNumber, { Not: { Variable: '$.v', NumericEquals: 2 } }] }, { v: 1 }),
    true,
  );
  assert.equal(await isMatch({ Or: [isNumber, absent] }, { v: 1 }), true);
  assert.equal(await isMatch({ And: [isNumber, absent] }, { v: 'x' }), false);
  assert.equal(await isMatch({ Variable: '$.absent', IsPresent: false }, {}), true);
});

void test('a Variable that is not there fails with States.Runtime, whatever the operator', async () => {
  const failure = await failureOf(() => isMatch({ Variable: '$.a', IsString: true }, {}));
  assert.equal(failure.error, 'States.Runtime');
  assert.equal(
    failure.cause,
    `${causePrefix}Invalid path '$.a': The choice state's condition path references an invalid value.`,
  );
});

void test('a Choice without a match and without Default fails', async () => {
  const state = stateOf('Choice', { Choices: [{ Variable: '$', IsNull: true, Next: 'A' }] });
  const failure = await failureOf(() => chooseNext(state, scopeOf(1)));
  assert.equal(failure.error, 'States.Runtime');
  assert.equal(
    failure.cause,
    `${causePrefix}Failed to transition out of the state. The state does not point to a next state.`,
  );
});

void test('the rule that holds gives Output and Assign, the state itself those of Default', async () => {
  const state = stateOf('Choice', {
    QueryLanguage: 'JSONata',
    Choices: [
      { Condition: '{% $states.input.a = 1 %}', Next: 'A', Output: 'rule', Assign: { v: 1 } },
    ],
    Default: 'B',
    Output: 'default',
    Assign: { v: 2 },
  });
  assert.deepEqual(await chooseNext(state, scopeOf({ a: 1 })), {
    next: 'A',
    output: 'rule',
    assigned: { v: 1 },
  });
  assert.deepEqual(await chooseNext(state, scopeOf({ a: 2 })), {
    next: 'B',
    output: 'default',
    assigned: { v: 2 },
  });
});

void test('a Condition that gives no boolean fails and says what it gave', async () => {
  const state = stateOf('Choice', {
    QueryLanguage: 'JSONata',
    Choices: [{ Condition: '{% 1 %}', Next: 'A' }],
    Default: 'B',
  });
  const failure = await failureOf(() => chooseNext(state, scopeOf({})));
  assert.equal(failure.error, 'States.QueryEvaluationError');
  assert.equal(
    failure.cause,
    `${causePrefix}The JSONata expression '1' specified for the field 'Choices[0]/Condition' returned an unexpected result type. Expected 'boolean', but was 'number' for value: 1`,
  );
  assert.equal(failure.evaluation?.location, 'Choices[0]/Condition');
});

void test('StringMatches takes time in proportion to pattern and text', async () => {
  const rule = { Variable: '$.v', StringMatches: `${'*a'.repeat(500)}b` };
  const startedAt = Date.now();
  assert.equal(await isMatch(rule, { v: 'a'.repeat(20_000) }), false);
  assert.ok(Date.now() - startedAt < 2_000);
});
