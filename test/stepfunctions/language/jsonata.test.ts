import assert from 'node:assert/strict';
import test from 'node:test';
import { compileJsonataTemplate } from '../../../local/stepfunctions/language/jsonata-template.ts';
import type { Json } from '../../../local/stepfunctions/language/json.ts';
import type { Scope } from '../../../local/stepfunctions/language/scope.ts';
import { causePrefix, failureOf, scopeOf } from './scope-of.ts';

async function evaluate(expression: string, more: Partial<Scope> = {}): Promise<Json> {
  const template = compileJsonataTemplate(`{% ${expression} %}`, 'Output');
  return template.evaluate(scopeOf(more.input ?? {}, more), {});
}

const results: [string, Json, Json][] = [
  ['$states.input.a + 1', { a: 1 }, 2],
  ['$states.input.list[x > 1].x', { list: [{ x: 1 }, { x: 2 }, { x: 3 }] }, [2, 3]],
  ['$states.input.nothing', { nothing: null }, null],
  ['1/0', {}, 'Infinity'],
  ['{"k": [0/0]}', {}, { k: ['NaN'] }],
  ['$parse($states.input)', '{"a":[1]}', { a: [1] }],
  ['$partition([1,2,3], 2.9)', {}, [[1, 2], [3]]],
  ['$range(0, 10, 3)', {}, [0, 3, 6, 9]],
  ['$range(-1.7, 2, 1)', {}, [-1, 0, 1, 2]],
  ['$range(7, 7, 1)', {}, 7],
  ['$hash("a", "MD5")', {}, '0cc175b9c0f1b6a831c399e269772661'],
  ['$random(42)', {}, 0.7275636800328681],
  ['$random(0.9)', {}, 0.730967787376657],
  ['$partition([1, 2])', {}, [[1, 2]]],
  ['$pad("x", -3, "ab")', {}, 'abx'],
  ['$replace("john smith", /(\\w+)\\s(\\w+)/, "$2, $1")', {}, 'smith, john'],
  ['$split("a1b2c", /[0-9]/)', {}, ['a', 'b', 'c']],
  ['$contains("hello world", /w(?=or)/)', {}, true],
  ['$map([1,2], function($v) { $v * 2 })', {}, [2, 4]],
  ['($f := function($n) { $n = 0 ? 0 : 1 + $f($n - 1) }; $f(31))', {}, 31],
  [`1${'+1'.repeat(99)}`, {}, 100],
];

for (const [expression, input, expected] of results) {
  void test(`${expression.slice(0, 60)} gives ${JSON.stringify(expected)}`, async () => {
    assert.deepEqual(await evaluate(expression, { input }), expected);
  });
}

void test('variables, context, result and error output are there to read', async () => {
  const more = {
    variables: { v: { a: 1 } },
    context: () => ({ Execution: { Name: 'e' } }),
    result: [1],
    errorOutput: { Error: 'E', Cause: 'C' },
  };
  assert.equal(await evaluate('$v.a', more), 1);
  assert.equal(await evaluate('$states.context.Execution.Name', more), 'e');
  assert.deepEqual(await evaluate('$states.result', more), [1]);
  assert.deepEqual(await evaluate('$states.errorOutput', more), { Error: 'E', Cause: 'C' });
});

void test('results carry none of the marks that jsonata leaves on its sequences', async () => {
  const result = await evaluate('$states.input.a.b', { input: { a: [{ b: 1 }, { b: 2 }] } });
  assert.deepEqual(Object.getOwnPropertyNames(result), ['0', '1', 'length']);
});

void test('expressions stand at any depth; other texts stay as they are', async () => {
  const source = { a: ['{% 1 + 1 %}', ' {% 1 %} '], b: { c: '{% $states.input %}', d: '$.x' } };
  const template = compileJsonataTemplate(source, 'Output');
  assert.deepEqual(await template.evaluate(scopeOf(5), {}), {
    a: [2, ' {% 1 %} '],
    b: { c: 5, d: '$.x' },
  });
});

const problems: [string, string][] = [
  ['$states.input.missing', 'returned nothing (undefined).'],
  ['$range(0, 4)', 'returned nothing (undefined).'],
  ['$partition([1], 0)', 'returned nothing (undefined).'],
  ['function($x) { $x }', 'returned an unsupported result type.'],
  ['{"f": [$sum]}', 'returned an unsupported result type.'],
  ['$eval("1+1")', 'threw an error during evaluation. T1006: Attempted to invoke a non-function'],
  [
    "$sum(['a'])",
    'threw an error during evaluation. T0412: Argument 1 of function "sum" must be an array of "numbers"',
  ],
  [
    '$partition([1], -1)',
    'threw an error during evaluation. D3137: Second argument must be zero or greater',
  ],
  [
    '$uuid(1)',
    'threw an error during evaluation. T0410: Argument 1 of function "uuid" does not match function signature',
  ],
  ['$error("boom")', 'threw an error during evaluation. D3137: boom'],
];

for (const [expression, ending] of problems) {
  void test(`${expression} fails and names expression and field`, async () => {
    const failure = await failureOf(() => evaluate(expression));
    assert.equal(failure.error, 'States.QueryEvaluationError');
    assert.equal(
      failure.cause,
      `${causePrefix}The JSONata expression '${expression}' specified for the field 'Output' ${ending}`,
    );
    assert.deepEqual(failure.evaluation, { location: 'Output', state: 'S' });
  });
}

void test('the location of a failed expression says where in the field it stands', async () => {
  const template = compileJsonataTemplate({ a: { b: [1, '{% $nope %}'] } }, 'Catch[1]/Output');
  const failure = await failureOf(() => template.evaluate(scopeOf({}), {}));
  assert.equal(failure.evaluation?.location, 'Catch[1]/Output/a/b[1]');
});
