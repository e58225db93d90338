import assert from 'node:assert/strict';
import test from 'node:test';
import { compileJsonataTemplate } from '../../../local/stepfunctions/language/jsonata-template.ts';
import type { Json } from '../../../local/stepfunctions/language/json.ts';
import { failureOf, scopeOf } from './scope-of.ts';

/** Within this an expression has ended whatever it does, on a busy machine too: it is given about a second. */
const deadlineMs = 15_000;
/** What an expression may cost this process, which goes on with its own work meanwhile. */
const mostCpuMs = 700;

function evaluate(expression: string, input: Json = {}): Promise<Json> {
  const template = compileJsonataTemplate(`{% ${expression} %}`, 'Output');
  return Promise.resolve(template.evaluate(scopeOf(input), {}));
}

async function cpuMsDuring(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const endings: [string, RegExp][] = [
  ['($f := function($x) { $f($x + 1) }; $f(1))', /evaluation timeout/],
  ['($f := function($x) { 1 + $f($x + 1) }; $f(1))', /Stack overflow error: .* tail-recursive$/],
  [`1${'+1'.repeat(200)}`, /Stack overflow error/],
  [`${'('.repeat(5_000)}1${')'.repeat(5_000)}`, /nests too deep/],
  ['[1..900000] ~> $count()', /memory limit exceeded/],
  ['$range(1, 360146, 1)', /memory limit exceeded/],
  ['$pad("x", 1e8)', /memory limit exceeded/],
  [
    '($d := function($s, $n) { $n = 0 ? $length($s) : $d($s & $s, $n - 1) }; $d("xxxxxxxx", 40))',
    /memory limit exceeded/,
  ],
  ['$reduce([1..100], function($a, $v) { $append($a, $a) }, [1])', /memory limit exceeded/],
  ['$map([1..100], function($i) { [1..800000] })', /memory limit exceeded|evaluation timeout/],
  ['$match($states.input, /^(?=a)(a+)+$/)', /evaluation timeout/],
];

for (const [expression, ending] of endings) {
  void test(`${expression.slice(0, 70)} is ended, and the process goes on`, async () => {
    const startedAt = Date.now();
    const cpuMs = await cpuMsDuring(async () => {
      const failure = await failureOf(() => evaluate(expression, `${'a'.repeat(40)}!`));
      assert.equal(failure.error, 'States.QueryEvaluationError');
      assert.match(failure.cause, ending);
    });
    assert.ok(Date.now() - startedAt < deadlineMs, 'it took too long');
    assert.ok(cpuMs < mostCpuMs, `it cost this process ${cpuMs} ms`);
    assert.equal(await evaluate('1 + 1'), 2);
  });
}

void test('a pattern that backtracks for ever elsewhere is matched in linear time', async () => {
  const failure = await failureOf(() =>
    evaluate('$match($states.input, /^(a+)+$/)', `${'a'.repeat(20_000)}!`),
  );
  assert.match(failure.cause, /returned nothing/);
});

void test('one endless expression does not keep others waiting', async () => {
  const quick = (): Promise<Json> => evaluate('($x := 1; $x + 1)');
  await Promise.all([quick(), quick()]);
  let hasEnded = false;
  const endless = failureOf(() => evaluate('($f := function($x) { $f($x) }; $f(1))')).then(
    (failure) => {
      hasEnded = true;
      return failure;
    },
  );
  assert.equal(await quick(), 2);
  assert.equal(hasEnded, false);
  assert.match((await endless).cause, /evaluation timeout/);
});

void test('objects of JavaScript are out of reach', async () => {
  for (const expression of [
    '$states.input.constructor',
    '$lookup($states.input, "constructor")',
    '$states.input.__proto__',
    '$string.constructor("return process")()',
    '$states.input.toString()',
  ]) {
    const failure = await failureOf(() => evaluate(expression));
    assert.equal(failure.error, 'States.QueryEvaluationError', expression);
  }
});
