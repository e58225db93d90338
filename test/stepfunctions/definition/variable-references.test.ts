import assert from 'node:assert/strict';
import test from 'node:test';
import { parseDefinition } from '../../../local/stepfunctions/definition/parse-definition.ts';
import { variableReferences } from '../../../local/stepfunctions/definition/variable-references.ts';
import type { JsonObject } from '../../../local/stepfunctions/language/json.ts';

function referencesOf(states: JsonObject) {
  const [startAt = ''] = Object.keys(states);
  return variableReferences(parseDefinition(JSON.stringify({ StartAt: startAt, States: states })));
}

void test('paths, intrinsic calls and expressions name the variables they read, sorted by state', () => {
  const references = referencesOf({
    A: {
      Type: 'Pass',
      InputPath: '$b',
      Parameters: { 'x.$': 'States.Format($a, $c.d)' },
      Next: 'C',
    },
    C: { Type: 'Choice', Choices: [{ Variable: '$v', NumericEqualsPath: '$w', Next: 'J' }] },
    J: {
      Type: 'Pass',
      QueryLanguage: 'JSONata',
      Output: '{% $p + $sum($q) + $states.input.r %}',
      Next: 'F',
    },
    F: { Type: 'Fail', ErrorPath: '$e' },
  });
  assert.deepEqual(references, { A: ['a', 'b', 'c'], C: ['v', 'w'], J: ['p', 'q'], F: ['e'] });
});

void test('names that an expression binds itself are no references', () => {
  const references = referencesOf({
    J: {
      Type: 'Pass',
      QueryLanguage: 'JSONata',
      Output: '{% ($x := 1; $map($list, function($v, $i) { $v + $i + $x })) %}',
      End: true,
    },
  });
  assert.deepEqual(references, { J: ['list'] });
});

void test('states inside others stand beside them; without references there is nothing', () => {
  const processor = {
    StartAt: 'P',
    States: { P: { Type: 'Pass', InputPath: '$inner', End: true } },
  };
  const map = { M: { Type: 'Map', MaxConcurrencyPath: '$n', ItemProcessor: processor, End: true } };
  assert.deepEqual(referencesOf(map), { M: ['n'], P: ['inner'] });
  assert.equal(referencesOf({ A: { Type: 'Succeed' } }), undefined);
});
