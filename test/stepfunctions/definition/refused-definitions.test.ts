import assert from 'node:assert/strict';
import test from 'node:test';
import {
  invalidDefinitionMessage,
  type Diagnostic,
} from '../../../local/stepfunctions/definition/diagnostic.ts';
import { validateDefinition } from '../../../local/stepfunctions/definition/validate-definition.ts';
import type { Json, JsonObject } from '../../../local/stepfunctions/language/json.ts';

function errorsOf(definition: Json | string, type: 'STANDARD' | 'EXPRESS' = 'STANDARD'): string[] {
  const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
  return validateDefinition(text, { type })
    .diagnostics.filter((each) => each.severity === 'ERROR')
    .map(({ code, message, location }: Diagnostic) => `${code}: ${message} at ${location ?? '-'}`);
}

/** A machine of one state `A`, which ends it unless the fields say otherwise. */
function one(fields: JsonObject, more: JsonObject = {}): JsonObject {
  return { StartAt: 'A', States: { A: { End: true, ...fields } }, ...more };
}

const lambda = 'arn:aws:states:::lambda:invoke';
const inner = { StartAt: 'P', States: { P: { Type: 'Pass', End: true } } };
const all = { ErrorEquals: ['States.ALL'], Next: 'A' };

const refused: [string, Json | string, string[]][] = [
  ['nothing', ' ', ['SCHEMA_VALIDATION_FAILED: Definition must be a valid JSON object at -']],
  ['a list', [], ['SCHEMA_VALIDATION_FAILED: Definition must be a valid JSON object at -']],
  [
    'an empty object',
    {},
    ['SCHEMA_VALIDATION_FAILED: These fields are required: [States, StartAt] at /'],
  ],
  [
    'Catch on a Pass',
    one({ Type: 'Pass', Catch: [all] }),
    ["SCHEMA_VALIDATION_FAILED: Field 'Catch' is not supported at /States/A"],
  ],
  [
    'Retry on a Wait',
    one({ Type: 'Wait', Seconds: 1, Retry: [] }),
    ["SCHEMA_VALIDATION_FAILED: Field 'Retry' is not supported at /States/A"],
  ],
  [
    'TimeoutSeconds on a Wait',
    one({ Type: 'Wait', Seconds: 1, TimeoutSeconds: 3 }),
    ["SCHEMA_VALIDATION_FAILED: Field 'TimeoutSeconds' is not supported at /States/A"],
  ],
  [
    'TimeoutSeconds on a Map',
    one({ Type: 'Map', TimeoutSeconds: 3, ItemProcessor: inner }),
    ["SCHEMA_VALIDATION_FAILED: Field 'TimeoutSeconds' is not supported at /States/A"],
  ],
  [
    'no terminal state',
    { StartAt: 'A', States: { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Pass', Next: 'A' } } },
    ['MISSING_END_STATE: Workflow has no terminal state at -'],
  ],
  [
    'an unreachable state',
    one({ Type: 'Pass' }, { States: { A: { Type: 'Pass', End: true }, B: { Type: 'Succeed' } } }),
    ['MISSING_TRANSITION_TARGET: State "B" is not reachable. at /States/B'],
  ],
  [
    'Next to nowhere',
    { StartAt: 'A', States: { A: { Type: 'Pass', Next: 'NOPE' } } },
    [
      "MISSING_TRANSITION_TARGET: Missing 'Next' target: NOPE at /States/A/Next",
      'MISSING_END_STATE: Workflow has no terminal state at -',
    ],
  ],
  [
    'StartAt nowhere',
    { StartAt: 'X', States: { A: { Type: 'Succeed' } } },
    [
      "MISSING_TRANSITION_TARGET: Missing 'Next' target: X at /StartAt",
      'MISSING_TRANSITION_TARGET: State "A" is not reachable. at /States/A',
    ],
  ],
  [
    'targets of rules, Default and Catch that are not there',
    {
      StartAt: 'C',
      States: {
        C: { Type: 'Choice', Choices: [{ Variable: '$', IsNull: true, Next: 'X' }], Default: 'T' },
        T: {
          Type: 'Task',
          Resource: lambda,
          Catch: [{ ErrorEquals: ['E'], Next: 'Y' }],
          End: true,
        },
      },
    },
    [
      "MISSING_TRANSITION_TARGET: Missing 'Next' target: X at /States/C/Choices[0]/Next",
      "MISSING_TRANSITION_TARGET: Missing 'Next' target: Y at /States/T/Catch[0]/Next",
    ],
  ],
  [
    'a transition out of a branch',
    one({
      Type: 'Parallel',
      Branches: [{ StartAt: 'P', States: { P: { Type: 'Pass', Next: 'A' } } }],
    }),
    [
      "MISSING_TRANSITION_TARGET: Missing 'Next' target: A at /States/A/Branches[0]/States/P/Next",
      'MISSING_END_STATE: Workflow has no terminal state at -',
    ],
  ],
  [
    'a name used twice',
    one({
      Type: 'Parallel',
      Branches: [{ StartAt: 'A', States: { A: { Type: 'Pass', End: true } } }],
    }),
    ['DUPLICATE_STATE_NAME: Duplicate State name: A at /States/A/Branches[0]/States/A'],
  ],
  [
    'an unknown type',
    one({ Type: 'Job' }),
    [
      "SCHEMA_VALIDATION_FAILED: The field 'Type' should have one of these values: [Task, Wait, Pass, Succeed, Fail, Choice, Parallel, Map] at /States/A/Type",
    ],
  ],
  [
    'JSONata fields in a JSONPath state',
    one({ Type: 'Pass', Output: 1 }),
    [
      "SCHEMA_VALIDATION_FAILED: The QueryLanguage is set to 'JSONPath', but field 'Output' is only supported for the 'JSONata' QueryLanguage at /States/A",
    ],
  ],
  [
    'JSONPath fields in a JSONata state',
    one({ Type: 'Pass', InputPath: '$' }, { QueryLanguage: 'JSONata' }),
    [
      "SCHEMA_VALIDATION_FAILED: The QueryLanguage is set to 'JSONata', but field 'InputPath' is only supported for the 'JSONPath' QueryLanguage at /States/A",
    ],
  ],
  [
    'a JSONPath state in a JSONata machine',
    one({ Type: 'Pass', QueryLanguage: 'JSONPath' }, { QueryLanguage: 'JSONata' }),
    [
      "SCHEMA_VALIDATION_FAILED: 'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine at /States/A",
    ],
  ],
  [
    "a processor's states in the Map's own language",
    one({
      Type: 'Map',
      QueryLanguage: 'JSONata',
      Items: [],
      ItemProcessor: { StartAt: 'P', States: { P: { Type: 'Pass', Output: 1, End: true } } },
    }),
    [
      "SCHEMA_VALIDATION_FAILED: The QueryLanguage is set to 'JSONPath', but field 'Output' is only supported for the 'JSONata' QueryLanguage at /States/A/ItemProcessor/States/P",
    ],
  ],
  [
    'a QueryLanguage of a processor',
    one({ Type: 'Map', ItemProcessor: { ...inner, QueryLanguage: 'JSONata' } }),
    ["SCHEMA_VALIDATION_FAILED: Field 'QueryLanguage' is not supported at /States/A/ItemProcessor"],
  ],
  [
    'an unknown QueryLanguage',
    one({ Type: 'Pass' }, { QueryLanguage: 'jsonpath' }),
    [
      'SCHEMA_VALIDATION_FAILED: Value should be one of the following: [JSONPath, JSONata] at /QueryLanguage',
    ],
  ],
  [
    'States.ALL not last',
    one({
      Type: 'Task',
      Resource: lambda,
      Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['E'] }],
    }),
    [
      "SCHEMA_VALIDATION_FAILED: 'States.ALL' must appear in the last element at /States/A/Retry[0]",
    ],
  ],
  [
    'States.ALL not alone',
    one({ Type: 'Task', Resource: lambda, Catch: [{ ...all, ErrorEquals: ['E', 'States.ALL'] }] }),
    [
      "SCHEMA_VALIDATION_FAILED: 'States.ALL' must appear alone in 'ErrorEquals' at /States/A/Catch[0]/ErrorEquals",
    ],
  ],
  [
    'a Retrier with impossible numbers',
    one({
      Type: 'Task',
      Resource: lambda,
      Retry: [{ ErrorEquals: ['E'], BackoffRate: 0.5, MaxAttempts: -1, JitterStrategy: 'SOME' }],
    }),
    [
      'SCHEMA_VALIDATION_FAILED: Value should be between 0 and 99999999 at /States/A/Retry[0]/MaxAttempts',
      `SCHEMA_VALIDATION_FAILED: Value should be between 1 and ${Number.MAX_VALUE} at /States/A/Retry[0]/BackoffRate`,
      'SCHEMA_VALIDATION_FAILED: Value should be one of the following: [FULL, NONE] at /States/A/Retry[0]/JitterStrategy',
    ],
  ],
  [
    'a malformed path',
    one({ Type: 'Pass', InputPath: '$.a[' }),
    [
      'SCHEMA_VALIDATION_FAILED: Value is not a valid JSONPath: unexpected the end at position 4 at /States/A/InputPath',
    ],
  ],
  [
    'a ResultPath that names many',
    one({ Type: 'Pass', ResultPath: '$..a' }),
    [
      "SCHEMA_VALIDATION_FAILED: Value is not a Reference Path: '$..a' is not a Reference Path at /States/A/ResultPath",
    ],
  ],
  [
    'what is no path in a template',
    one({ Type: 'Pass', Parameters: { a: { 'b.$': 'x' } } }),
    [
      "SCHEMA_VALIDATION_FAILED: The value for the field 'b.$' must be a valid JSONPath or a valid intrinsic function call at /States/A/Parameters/a",
    ],
  ],
  [
    'an unknown intrinsic function',
    one({ Type: 'Pass', Parameters: { 'a.$': 'States.Now()' } }),
    [
      "SCHEMA_VALIDATION_FAILED: The value for the field 'a.$' must be a valid JSONPath or a valid intrinsic function call at /States/A/Parameters",
    ],
  ],
  [
    'an expression that does not parse',
    one({ Type: 'Pass', QueryLanguage: 'JSONata', Output: { a: ['{% 1 + %}'] } }),
    ['INVALID_JSONATA_EXPRESSION: Unexpected end of expression at /States/A/Output/a[0]'],
  ],
  [
    'an expression that reads a context item',
    one({
      Type: 'Pass',
      QueryLanguage: 'JSONata',
      Output: '{% $map($states.input.a, function($x) { phone }) %}',
    }),
    [
      "UNSUPPORTED_JSONATA_EXPRESSION: Reference to 'phone' at the top level is not supported. at /States/A/Output",
    ],
  ],
  [
    'an expression with $$',
    one({ Type: 'Pass', QueryLanguage: 'JSONata', Output: '{% $$.a %}' }),
    ["UNSUPPORTED_JSONATA_EXPRESSION: Reference to '$$' is not supported. at /States/A/Output"],
  ],
  [
    '$states.errorOutput outside a Catch',
    one({
      Type: 'Task',
      Resource: lambda,
      QueryLanguage: 'JSONata',
      Output: '{% $states.errorOutput %}',
    }),
    [
      "UNSUPPORTED_JSONATA_EXPRESSION: Reference to '$states.errorOutput' is not supported in this field. at /States/A/Output",
    ],
  ],
  [
    '$states.result where there is none',
    one({ Type: 'Pass', QueryLanguage: 'JSONata', Output: '{% $states.result %}' }),
    [
      "UNSUPPORTED_JSONATA_EXPRESSION: Reference to '$states.result' is not supported in this field. at /States/A/Output",
    ],
  ],
  [
    'a moment that is none',
    one({ Type: 'Wait', Timestamp: '2016-13-05T21:29:29Z' }),
    ['SCHEMA_VALIDATION_FAILED: String does not match RFC3339 timestamp at /States/A/Timestamp'],
  ],
  [
    'a Wait without an end',
    one({ Type: 'Wait' }),
    [
      'SCHEMA_VALIDATION_FAILED: Exactly one of these fields is required: [Seconds, SecondsPath, Timestamp, TimestampPath] at /States/A',
    ],
  ],
  [
    'a state that neither ends nor goes on',
    { StartAt: 'A', States: { A: { Type: 'Pass' } } },
    ['SCHEMA_VALIDATION_FAILED: One of these fields is required: [Next, End] at /States/A'],
  ],
  [
    'a heartbeat longer than the timeout',
    one({ Type: 'Task', Resource: lambda, TimeoutSeconds: 5, HeartbeatSeconds: 5 }),
    [
      "SCHEMA_VALIDATION_FAILED: 'HeartbeatSeconds' must be smaller than 'TimeoutSeconds' at /States/A/HeartbeatSeconds",
    ],
  ],
  [
    'a resource that is none',
    one({ Type: 'Task', Resource: 'createToken' }),
    ['SCHEMA_VALIDATION_FAILED: Value is not a valid resource ARN at /States/A/Resource'],
  ],
  [
    'Credentials without a role',
    one({ Type: 'Task', Resource: lambda, Credentials: {} }),
    [
      "SCHEMA_VALIDATION_FAILED: The field 'RoleArn' is required but was missing at /States/A/Credentials",
    ],
  ],
  [
    'no branches',
    one({ Type: 'Parallel', Branches: [] }),
    ['SCHEMA_VALIDATION_FAILED: Value cannot be empty at /States/A/Branches'],
  ],
  [
    'both a number and its path',
    one({ Type: 'Map', MaxConcurrency: 2, MaxConcurrencyPath: '$.n', ItemProcessor: inner }),
    [
      'SCHEMA_VALIDATION_FAILED: Only one of these fields is allowed: [MaxConcurrency, MaxConcurrencyPath] at /States/A/MaxConcurrency',
    ],
  ],
  [
    'a reader in an inline Map',
    one({
      Type: 'Map',
      ItemReader: { Resource: 'arn:aws:states:::s3:getObject' },
      ItemProcessor: inner,
    }),
    [
      "SCHEMA_VALIDATION_FAILED: Field 'ItemReader' is only supported in 'DISTRIBUTED' mode at /States/A/ItemReader",
    ],
  ],
  [
    'a rule without Next',
    {
      StartAt: 'A',
      States: {
        A: { Type: 'Choice', Choices: [{ Variable: '$', IsNull: true }], Default: 'B' },
        B: { Type: 'Succeed' },
      },
    },
    ['SCHEMA_VALIDATION_FAILED: These fields are required: [Next] at /States/A/Choices[0]'],
  ],
  [
    'Next inside a nested rule',
    {
      StartAt: 'A',
      States: {
        A: {
          Type: 'Choice',
          Choices: [{ Not: { Variable: '$', IsNull: true, Next: 'B' }, Next: 'B' }],
        },
        B: { Type: 'Succeed' },
      },
    },
    ["SCHEMA_VALIDATION_FAILED: Field 'Next' is not supported at /States/A/Choices[0]/Not"],
  ],
  [
    'a variable named states',
    one({ Type: 'Pass', Assign: { states: 1 } }),
    ["SCHEMA_VALIDATION_FAILED: The variable name 'states' is reserved at /States/A/Assign"],
  ],
  [
    "a branch that assigns an outer scope's variable",
    one({
      Type: 'Map',
      Assign: { x: 1 },
      ItemProcessor: {
        StartAt: 'P',
        States: { P: { Type: 'Pass', Assign: { 'x.$': '$' }, End: true } },
      },
    }),
    [
      "SCHEMA_VALIDATION_FAILED: The variable 'x' is assigned in an outer scope and cannot be assigned here at /States/A/ItemProcessor/States/P/Assign",
    ],
  ],
];

for (const [what, definition, expected] of refused) {
  void test(`refused with its place: ${what}`, () => {
    assert.deepEqual(errorsOf(definition), expected);
  });
}

void test('broken JSON is INVALID_JSON_DESCRIPTION, without a place', () => {
  assert.match(errorsOf('{not json').join(), /^INVALID_JSON_DESCRIPTION: .+ at -$/);
});

void test('an Express machine has no callbacks, no .sync and no distributed Map', () => {
  const task = (suffix: string) =>
    one({ Type: 'Task', Resource: `arn:aws:states:::states:startExecution${suffix}` });
  assert.deepEqual(errorsOf(task('.sync'), 'EXPRESS'), [
    "SCHEMA_VALIDATION_FAILED: Express state machine does not support '.sync' service integration at /States/A/Resource",
  ]);
  assert.deepEqual(errorsOf(task('.waitForTaskToken'), 'EXPRESS'), [
    "SCHEMA_VALIDATION_FAILED: Express state machine does not support '.waitForTaskToken' service integration  at /States/A/Resource",
  ]);
  assert.deepEqual(errorsOf(task('.sync')), []);
  const distributed = {
    ...inner,
    ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
  };
  const map = one({ Type: 'Map', ItemProcessor: distributed });
  assert.equal(errorsOf(map, 'EXPRESS').length, 1);
  assert.deepEqual(errorsOf(map), []);
});

void test('states nested deeper than the engine follows are refused, not followed', () => {
  const nested = (depth: number): string => {
    const opening = Array.from(
      { length: depth },
      (_, index) =>
        `{"StartAt":"S${index}","States":{"S${index}":{"Type":"Parallel","End":true,"Branches":[`,
    );
    return `${opening.join('')}${JSON.stringify(inner)}${']}}}'.repeat(depth)}`;
  };
  assert.match(errorsOf(nested(200)).join(), /^TOO_DEEPLY_NESTED: /);
  assert.match(errorsOf(nested(2_000)).join(), /^INVALID_JSON_DESCRIPTION: .* nesting depth /);
});

void test("CreateStateMachine's message lists every error with its code and place", () => {
  const { diagnostics } = validateDefinition(
    '{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"NOPE"}}}',
    { type: 'STANDARD' },
  );
  assert.equal(
    invalidDefinitionMessage(diagnostics),
    "Invalid State Machine Definition: 'MISSING_TRANSITION_TARGET: Missing 'Next' target: NOPE at /States/A/Next, MISSING_END_STATE: Workflow has no terminal state at null'",
  );
});

void test('what is likely a mistake is a warning, and no reason to refuse', () => {
  const definition = one({ Type: 'Pass', Result: { a: '$.x' }, Parameters: { b: '$.x' } });
  const { diagnostics } = validateDefinition(JSON.stringify(definition), { type: 'STANDARD' });
  assert.deepEqual(
    diagnostics.map((each) => [each.severity, each.code]),
    [
      ['WARNING', 'PASS_RESULT_IS_STATIC'],
      ['WARNING', 'NO_DOLLAR'],
    ],
  );
});
