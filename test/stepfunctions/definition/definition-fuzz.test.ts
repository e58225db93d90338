import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { DefinitionError } from '../../../local/stepfunctions/definition/definition-error.ts';
import { parseDefinition } from '../../../local/stepfunctions/definition/parse-definition.ts';
import { validateDefinition } from '../../../local/stepfunctions/definition/validate-definition.ts';
import { variableReferences } from '../../../local/stepfunctions/definition/variable-references.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
} from '../../../local/stepfunctions/language/json.ts';

const lambda = 'arn:aws:states:::lambda:invoke';
const processor = {
  ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' },
  StartAt: 'Inner',
  States: { Inner: { Type: 'Pass', Parameters: { 'a.$': 'States.Format($x, $.y)' }, End: true } },
};

/** A machine with a bit of everything, for the fuzzer to spoil. */
const machine: JsonObject = {
  Comment: 'all kinds',
  StartAt: 'Pass',
  TimeoutSeconds: 60,
  States: {
    Pass: {
      Type: 'Pass',
      Result: { a: [1] },
      ResultPath: '$.r',
      Assign: { x: 1, 'y.$': '$.a' },
      Next: 'Choice',
    },
    Choice: {
      Type: 'Choice',
      Choices: [
        {
          And: [
            { Variable: '$.a', IsPresent: true },
            { Not: { Variable: '$x', NumericEqualsPath: '$.n' } },
          ],
          Next: 'Task',
        },
        {
          Variable: '$.t',
          TimestampLessThan: '2020-01-01T00:00:00Z',
          Next: 'Wait',
          Assign: { z: 2 },
        },
      ],
      Default: 'Map',
    },
    Task: {
      Type: 'Task',
      Resource: lambda,
      Parameters: { 'p.$': '$.list[?(@.a > 1)]' },
      ResultSelector: { 'r.$': '$.Payload' },
      TimeoutSecondsPath: '$.timeout',
      Retry: [{ ErrorEquals: ['E'], MaxAttempts: 2, BackoffRate: 1.5, JitterStrategy: 'FULL' }],
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.e', Next: 'Fail' }],
      Next: 'Jsonata',
    },
    Jsonata: {
      Type: 'Task',
      QueryLanguage: 'JSONata',
      Resource: lambda,
      Arguments: { a: '{% $states.input.a[0] %}', b: ['{% $uuid() %}'] },
      Output: '{% $merge([$states.input, {"r": $states.result}]) %}',
      Next: 'Parallel',
    },
    Wait: { Type: 'Wait', SecondsPath: '$.s', Next: 'Map' },
    Map: {
      Type: 'Map',
      ItemsPath: '$.items',
      ItemSelector: { 'v.$': '$$.Map.Item.Value' },
      ItemProcessor: processor,
      ItemBatcher: { MaxItemsPerBatch: 5 },
      ToleratedFailurePercentage: 10,
      ResultWriter: { WriterConfig: { OutputType: 'JSON', Transformation: 'COMPACT' } },
      End: true,
    },
    Parallel: {
      Type: 'Parallel',
      Branches: [{ StartAt: 'B', States: { B: { Type: 'Succeed' } } }],
      End: true,
    },
    Fail: { Type: 'Fail', ErrorPath: '$.e.Error', CausePath: "States.Format('{}', $.e)" },
  },
};

/** Every place in the machine, as a list of keys. */
function placesOf(value: Json, place: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [place];
  return [
    place,
    ...Object.entries(value).flatMap(([key, each]) => placesOf(each, [...place, key])),
  ];
}

function spoil(
  value: Json,
  [key, ...rest]: readonly string[],
  spoilt: Json | undefined,
): Json | undefined {
  if (key === undefined) return spoilt;
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => {
      const changed = String(index) === key ? spoil(each, rest, spoilt) : each;
      return changed === undefined ? [] : [changed];
    });
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, each]): [string, Json][] => {
    const changed = name === key ? spoil(each, rest, spoilt) : each;
    return changed === undefined ? [] : [[name, changed]];
  });
  return Object.fromEntries(entries);
}

const telling = fc.constantFrom<Json>(
  '$',
  '$$',
  '$x',
  '$.a[',
  "$['",
  '$..*',
  '{% $x %}',
  '{% ( %}',
  '{%%}',
  'States.UUID()',
  'States.',
  '',
  'States.ALL',
  0,
  -1,
  1e308,
  null,
  true,
  [],
  {},
  [[]],
  { '.$': '$' },
  { 'a.$': 1 },
  'Pass',
  '__proto__',
  JSON.parse('{"__proto__":1}'),
);

/** Whatever the text: diagnostics and no exception; without errors it parses; and parsing throws DefinitionError only. */
function check(text: string): void {
  const { diagnostics } = validateDefinition(text, { type: 'STANDARD' });
  const isValid = diagnostics.every((each) => each.severity !== 'ERROR');
  try {
    variableReferences(parseDefinition(text));
  } catch (error) {
    assert.ok(error instanceof DefinitionError, `${String(error)} for ${text}`);
    assert.equal(isValid, false, `it validates but does not parse: ${error.message}: ${text}`);
  }
}

void test('the machine that is spoilt below is itself valid', () => {
  assert.deepEqual(
    validateDefinition(JSON.stringify(machine), { type: 'STANDARD' }).diagnostics,
    [],
  );
});

void test('no text makes the validator or the parser throw anything but what they declare', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), check), { numRuns: 2_000 });
});

void test('whatever is put in place of any part of a machine: what validates also parses', () => {
  const places = placesOf(machine).slice(1);
  fc.assert(
    fc.property(
      fc.constantFrom(...places),
      fc.oneof(telling, fc.jsonValue(), fc.constant(undefined)),
      (place, spoilt) => {
        check(JSON.stringify(spoil(machine, place, spoilt as Json | undefined) ?? null));
      },
    ),
    { numRuns: 6_000 },
  );
});
