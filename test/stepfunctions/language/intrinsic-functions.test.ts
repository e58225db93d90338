import assert from 'node:assert/strict';
import test from 'node:test';
import { compileJsonPathValue } from '../../../local/stepfunctions/language/jsonpath-template.ts';
import { PathSyntaxError } from '../../../local/stepfunctions/language/jsonpath/path-reader.ts';
import type { Json } from '../../../local/stepfunctions/language/json.ts';
import { causePrefix, failureOf, scopeOf } from './scope-of.ts';

async function call(text: string, input: Json = {}): Promise<Json> {
  return compileJsonPathValue(text, 'x.$').evaluate(scopeOf(input), input);
}

const results: [string, Json, Json][] = [
  ["States.Format('Hello {}, {}!', $.a, 7)", { a: 'you' }, 'Hello you, 7!'],
  ["States.Format('{}', $.a)", { a: { b: 1, c: ['x', null] } }, '{b=1, c=[x, null]}'],
  ["States.Format('\\{} \\\\ \\' {}', 1)", {}, "{} \\ ' 1"],
  ['States.Format($.t, 1)', { t: 'n={}' }, 'n=1'],
  ['States.StringToJson(\'{"a": [1]}\')', {}, { a: [1] }],
  ["States.StringToJson('')", {}, null],
  ['States.JsonToString($)', { a: 1, b: 'x' }, '{"a":1,"b":"x"}'],
  ["States.Array('a', 1, null, true, $.x)", { x: {} }, ['a', 1, null, true, {}]],
  ['States.ArrayPartition($, 2)', [1, 2, 3], [[1, 2], [3]]],
  ['States.ArrayPartition($, 1.5)', [1, 2, 3], [[1, 2], [3]]],
  ['States.ArrayContains($, $[0])', [{ a: 1 }, 2], true],
  ['States.ArrayRange(1, 9, 2)', {}, [1, 3, 5, 7, 9]],
  ['States.ArrayRange(3, 1, -1)', {}, [3, 2, 1]],
  ['States.ArrayRange(1, 0, 1)', {}, []],
  ['States.ArrayGetItem($, 1)', [1, 2], 2],
  ['States.ArrayLength($)', [1, 2], 2],
  [
    'States.ArrayUnique($)',
    [1, 1, '1', { a: 1, b: 2 }, { b: 2, a: 1 }, null, null],
    [1, '1', { a: 1, b: 2 }, null],
  ],
  ["States.Base64Encode('Data to encode')", {}, 'RGF0YSB0byBlbmNvZGU='],
  ["States.Base64Decode('RGF0YSB0byBlbmNvZGU=')", {}, 'Data to encode'],
  ["States.Hash('input data', 'SHA-1')", {}, 'aaff4a450a104cd177d28d18d74485e8cae074b7'],
  ['States.JsonMerge($.a, $.b, false)', { a: { x: 1, y: { z: 1 } }, b: { y: 2 } }, { x: 1, y: 2 }],
  ['States.MathAdd(1.49, 1.5)', {}, 3],
  ['States.MathAdd(-0.5, 0)', {}, 0],
  ['States.MathAdd(-1.5, 0)', {}, -1],
  ["States.StringSplit('1,2;3,,', ',;')", {}, ['1', '2', '3']],
  ['States.ArrayLength(States.Array(States.MathAdd($.n, 1), States.UUID()))', { n: 1 }, 2],
];

for (const [text, input, expected] of results) {
  void test(`${text} gives ${JSON.stringify(expected)}`, async () => {
    assert.deepEqual(await call(text, input), expected);
  });
}

void test('States.MathRandom stays in its range, and repeats itself for the same seed', async () => {
  for (let round = 0; round < 100; round += 1) {
    const value = await call('States.MathRandom(3, 5)');
    assert.ok(value === 3 || value === 4, `${JSON.stringify(value)} is outside`);
  }
  assert.equal(
    await call('States.MathRandom(1, 1000, 42)'),
    await call('States.MathRandom(1, 1000, 42)'),
  );
});

void test('States.UUID gives a version 4 UUID', async () => {
  assert.match(JSON.stringify(await call('States.UUID()')), /^"[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/);
});

for (const [text, input] of [
  ["States.Format('{} {}', 1)", {}],
  ["States.StringToJson('{bad')", {}],
  ['States.ArrayPartition($, 0)', [1]],
  ['States.ArrayPartition($.a, 1)', { a: 'x' }],
  ['States.ArrayRange(1, 2000, 1)', {}],
  ['States.ArrayRange(1, 2, 0)', {}],
  ['States.ArrayGetItem($, 2)', [1, 2]],
  ['States.ArrayGetItem($, -1)', [1, 2]],
  ['States.ArrayGetItem($, 0.5)', [1, 2]],
  ['States.Base64Encode($)', 'x'.repeat(10_001)],
  ["States.Base64Decode('***')", {}],
  ["States.Hash('x', 'sha1')", {}],
  ['States.JsonMerge($, $, true)', {}],
  ["States.MathAdd('1', 2)", {}],
  ['States.MathAdd(2147483647, 1)', {}],
  ['States.MathRandom(5, 5)', {}],
] as [string, Json][]) {
  void test(`${text} fails with States.IntrinsicFailure and names the call`, async () => {
    const failure = await failureOf(() => call(text, input));
    assert.equal(failure.error, 'States.IntrinsicFailure');
    assert.ok(
      failure.cause.startsWith(`${causePrefix}The function '${text}' had the following error: `),
      failure.cause,
    );
  });
}

void test('an argument that leads nowhere fails with States.Runtime and names the whole call', async () => {
  const text = "States.Format('{}', States.Format('{}', $.nope))";
  const failure = await failureOf(() => call(text, { other: 1 }));
  assert.equal(failure.error, 'States.Runtime');
  assert.equal(
    failure.cause,
    `${causePrefix}The function '${text}' had the following error: The JsonPath argument for the field '$.nope' could not be found in the input '{"other":1}'`,
  );
});

for (const text of [
  'States.Foo(1)',
  'States.UUID(1)',
  'States.Format()',
  "States.Format('x'",
  "States.Format('x') ",
  "States.Format('a \\\" b')",
  'States.Array(a)',
  'States.Array(1,)',
  'States.MathAdd(1)',
  `${'States.Array('.repeat(11)}1${')'.repeat(11)}`,
]) {
  const isAccepted = text === "States.Format('x') ";
  void test(`${text.slice(0, 60)} is ${isAccepted ? 'a' : 'no'} valid call`, () => {
    const compile = (): unknown => compileJsonPathValue(text, 'x.$');
    if (isAccepted) assert.doesNotThrow(compile);
    else assert.throws(compile, PathSyntaxError);
  });
}

void test('values nested without end are refused, and do not exhaust the stack', async () => {
  const deepText = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const deep: Json = JSON.parse(deepText);
  for (const text of [
    'States.StringToJson($.text)',
    'States.JsonToString($.deep)',
    "States.Format('{}', $.deep)",
    'States.ArrayUnique($.deep)',
    'States.ArrayContains($.pair, $.deep)',
    "States.Hash($.deep, 'MD5')",
  ]) {
    const input = { text: deepText, deep, pair: [JSON.parse(deepText)] };
    const failure = await failureOf(() => call(text, input));
    assert.match(
      failure.cause,
      /nests too deep$|nesting depth exceeds the maximum allowed \(1000\)$/,
      text,
    );
  }
});
