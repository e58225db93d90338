import assert from 'node:assert/strict';
import test from 'node:test';
import {
  analyseExpression,
  type Analysis,
} from '../../../local/stepfunctions/language/jsonata/analyse-expression.ts';
import { parseExpression } from '../../../local/stepfunctions/language/jsonata/parse-expression.ts';

function analyse(text: string): Analysis {
  const parsed = parseExpression(text);
  assert.ok('ast' in parsed, `${text} does not parse`);
  return analyseExpression(parsed.ast);
}

for (const text of [
  '$states.input.a.b[0]',
  '$sum($states.input.list.price) & " in all"',
  '$map($states.input.list, $string)',
  '$join($states.input.list, ", ")',
  '$join($states.input.list)',
  '$replace($v, /[a-z]+/, "x")',
  '{"a": [1..10], "b": $exists($v) ? 1 : 2}',
]) {
  void test(`${text} is cheap enough for this process`, () => {
    assert.equal(analyse(text).isRisky, false);
  });
}

for (const text of [
  '$map($states.input.list, function($x) { $x + 1 })',
  '($x := 1; $x)',
  '$distinct($states.input.list)',
  '$join($states.input.list, $states.input.separator)',
  '$join($states.input.list, "a separator that is rather long")',
  '$states.input.list ~> $join',
  '$match($v, /(?=a)a+/)',
  '$toMillis($v, $v)',
  '$substring(?, 1)',
  `$v${' & $v'.repeat(17)}`,
]) {
  void test(`${text.slice(0, 60)} is evaluated apart`, () => {
    assert.equal(analyse(text).isRisky, true);
  });
}

void test('names are read from a context item only where a path begins', () => {
  const names = (text: string): readonly string[] => analyse(text).topLevelNames;
  assert.deepEqual(names('phone.mobile'), ['phone']);
  assert.deepEqual(names('$sum(a) + b.c'), ['a', 'b']);
  assert.deepEqual(names('{"k": a}'), ['a']);
  assert.deepEqual(names('$map($v, function($x) { y })'), ['y']);
  assert.deepEqual(names('$states.input.a.b'), []);
  assert.deepEqual(names('$v[a > 1].b'), []);
  assert.deepEqual(names('$v^(>a){b: c}'), []);
  assert.deepEqual(names('$v.(a + b)'), []);
});

void test('variables are those that neither JSONata nor the expression itself provides', () => {
  const { variables } = analyse(
    '($x := $a; $map($b.c, function($i) { $i + $x }) ~> $sum & $states.input.d)',
  );
  assert.deepEqual(variables, ['a', 'b']);
});

void test('the members of $states are told, and $$ is noticed', () => {
  assert.deepEqual(analyse('$states.input.a & $states.result').statesMembers, ['input', 'result']);
  assert.deepEqual(analyse('$keys($states)').statesMembers, ['*']);
  assert.equal(analyse('$$.a').usesRoot, true);
  assert.equal(analyse('$v.$').usesRoot, false);
});
