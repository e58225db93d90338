import assert from 'node:assert/strict';
import test from 'node:test';
import {
  itemBatching,
  itemInput,
  itemReading,
  mapItems,
  maxConcurrency,
  toleratedFailure,
} from '../../../local/stepfunctions/language/map-fields.ts';
import { waitDeadlineMs } from '../../../local/stepfunctions/language/wait-deadline.ts';
import type { Json, JsonObject } from '../../../local/stepfunctions/language/json.ts';
import { causePrefix, failureOf, scopeOf, stateOf } from './scope-of.ts';

const enteredAtMs = Date.parse('2024-01-01T00:00:00Z');

async function deadline(fields: JsonObject, input: Json = {}): Promise<number> {
  return waitDeadlineMs(stateOf('Wait', { End: true, ...fields }), scopeOf(input), enteredAtMs);
}

void test('a Wait ends so many seconds after it was entered, or at its moment, past or not', async () => {
  assert.equal(await deadline({ Seconds: 5 }), enteredAtMs + 5_000);
  assert.equal(await deadline({ SecondsPath: '$.s' }, { s: 5 }), enteredAtMs + 5_000);
  assert.equal(await deadline({ SecondsPath: '$.s' }, { s: -5 }), enteredAtMs);
  assert.equal(
    await deadline({ QueryLanguage: 'JSONata', Seconds: '{% 2 + 3 %}' }),
    enteredAtMs + 5_000,
  );
  assert.equal(
    await deadline({ Timestamp: '2020-01-01T00:00:00Z' }),
    Date.parse('2020-01-01T00:00:00Z'),
  );
  assert.equal(
    await deadline({ TimestampPath: '$' }, '2024-01-01T02:00:00.123456+02:00'),
    enteredAtMs + 123,
  );
});

const waits: [JsonObject, Json, string, string][] = [
  [
    { SecondsPath: '$.s' },
    {},
    'States.Runtime',
    'The SecondsPath parameter does not reference an input value: $.s',
  ],
  [
    { SecondsPath: '$.s' },
    { s: 1.5 },
    'States.Runtime',
    'The SecondsPath parameter cannot be parsed as a long value: $.s == 1.5',
  ],
  [
    { TimestampPath: '$.t' },
    { t: '2016-12-05 21:29:29Z' },
    'States.Runtime',
    'The TimestampPath parameter does not reference a valid ISO-8601 extended offset date-time format string: $.t == 2016-12-05 21:29:29Z',
  ],
  [
    { QueryLanguage: 'JSONata', Timestamp: '{% $states.input.t %}' },
    { t: '2016-13-05T21:29:29Z' },
    'States.QueryEvaluationError',
    'The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: 2016-13-05T21:29:29Z',
  ],
];

for (const [fields, input, error, text] of waits) {
  void test(`a Wait with ${JSON.stringify(fields)} and ${JSON.stringify(input)} fails`, async () => {
    const failure = await failureOf(() => deadline(fields, input));
    assert.equal(failure.error, error);
    assert.equal(failure.cause, causePrefix + text);
  });
}

const processor = { ItemProcessor: { StartAt: 'P', States: { P: { Type: 'Pass', End: true } } } };
const map = (fields: JsonObject) => stateOf('Map', { End: true, ...processor, ...fields });

void test('the items of a Map come from its input, ItemsPath or Items', async () => {
  assert.deepEqual(await mapItems(map({}), scopeOf([1])), [1]);
  assert.deepEqual(
    await mapItems(map({ InputPath: '$.a', ItemsPath: '$.b' }), scopeOf({ a: { b: [1] } })),
    [1],
  );
  assert.deepEqual(
    await mapItems(map({ ItemsPath: '$v' }), scopeOf({}, { variables: { v: [2] } })),
    [2],
  );
  const jsonata = map({ QueryLanguage: 'JSONata', Items: [1, '{% 1 + 1 %}'] });
  assert.deepEqual(await mapItems(jsonata, scopeOf({})), [1, 2]);
});

void test('what is no list cannot be mapped over', async () => {
  const byPath = await failureOf(() => mapItems(map({ ItemsPath: '$.a' }), scopeOf({ a: 1 })));
  assert.equal(byPath.cause, `${causePrefix}Reference path "$.a" must point to array.`);
  const items = map({ QueryLanguage: 'JSONata', Items: '{% "x" %}' });
  const byExpression = await failureOf(() => mapItems(items, scopeOf({})));
  assert.equal(
    byExpression.cause,
    `${causePrefix}The JSONata expression '"x"' specified for the field 'Items' returned an unexpected result type. Expected 'array', but was 'string' for value: "x"`,
  );
  const byInput = await failureOf(() => mapItems(map({ QueryLanguage: 'JSONata' }), scopeOf(1)));
  assert.equal(byInput.cause, `${causePrefix}Map state input must be an array but was: 1`);
  assert.deepEqual(byInput.evaluation, { state: 'S' });
});

void test('ItemSelector sees the state input, the item and its index', async () => {
  const jsonPath = map({
    ItemSelector: { 'i.$': '$$.Map.Item.Index', 'v.$': '$$.Map.Item.Value', 'all.$': '$.b' },
  });
  assert.deepEqual(await itemInput(jsonPath, scopeOf({ b: 1 }), { index: 3, value: 'x' }), {
    i: 3,
    v: 'x',
    all: 1,
  });
  const jsonata = map({
    QueryLanguage: 'JSONata',
    ItemSelector: '{% $states.context.Map.Item.Value & $states.input.b %}',
  });
  assert.equal(await itemInput(jsonata, scopeOf({ b: 1 }), { index: 0, value: 'x' }), 'x1');
  assert.equal(await itemInput(map({}), scopeOf({}), { index: 0, value: 'x' }), 'x');
});

void test('the numbers of a Map may be given outright, by a path or by an expression', async () => {
  const input = scopeOf({ n: '2' });
  assert.equal(await maxConcurrency(map({}), input), 0);
  assert.equal(await maxConcurrency(map({ MaxConcurrency: 3 }), input), 3);
  assert.equal(await maxConcurrency(map({ MaxConcurrencyPath: '$.n' }), input), 2);
  assert.deepEqual(await toleratedFailure(map({}), input), {});
  assert.deepEqual(
    await toleratedFailure(
      map({ ToleratedFailureCountPath: '$.n', ToleratedFailurePercentage: 5.5 }),
      input,
    ),
    { count: 2, percentage: 5.5 },
  );
  const failure = await failureOf(() =>
    toleratedFailure(map({ ToleratedFailurePercentagePath: '$.p' }), scopeOf({ p: 101 })),
  );
  assert.equal(
    failure.cause,
    `${causePrefix}ToleratedFailurePercentage must be between 0 and 100.`,
  );
});

void test('ItemReader and ItemBatcher are evaluated on the effective input', async () => {
  const state = map({
    ItemReader: {
      Resource: 'arn:aws:states:::s3:getObject',
      ReaderConfig: { InputType: 'CSV', CSVHeaderLocation: 'FIRST_ROW', MaxItemsPath: '$.max' },
      Parameters: { Bucket: 'b', 'Key.$': '$.key' },
    },
    ItemBatcher: { MaxItemsPerBatch: 10, BatchInput: { 'k.$': '$.key' } },
  });
  const scope = scopeOf({ key: 'k.csv', max: 7 });
  assert.deepEqual(await itemReading(state, scope), {
    resource: 'arn:aws:states:::s3:getObject',
    arguments: { Bucket: 'b', Key: 'k.csv' },
    readerConfig: { InputType: 'CSV', CSVHeaderLocation: 'FIRST_ROW' },
    maxItems: 7,
  });
  assert.deepEqual(await itemBatching(state, scope), {
    maxItemsPerBatch: 10,
    batchInput: { k: 'k.csv' },
  });
});
