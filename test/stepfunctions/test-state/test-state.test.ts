import assert from 'node:assert/strict';
import test from 'node:test';
import { testState } from '../../../local/stepfunctions/test-state/test-state.ts';
import { TestStateProblem } from '../../../local/stepfunctions/test-state/test-state-problem.ts';
import type {
  RunTask,
  TestStateDependencies,
  TestStateRequest,
  TestStateResponse,
} from '../../../local/stepfunctions/test-state/test-state-request.ts';
import type { Json, JsonObject } from '../../../local/stepfunctions/language/json.ts';

const noTask: RunTask = () => Promise.reject(new Error('no Task is to be run here'));

const dependencies: TestStateDependencies = {
  runTask: noTask,
  region: 'us-east-1',
  accountId: '111111111111',
  now: () => new Date('2024-01-01T00:00:00Z'),
  random: () => 0.5,
};

type Request = Omit<TestStateRequest, 'definition' | 'input' | 'mock'> & {
  readonly input?: Json;
  readonly mock?: JsonObject | undefined;
};

/** Runs a state given as JSON; a mocked `result` is given as JSON too. */
function run(
  definition: JsonObject,
  request: Request = {},
  runTask = noTask,
): Promise<TestStateResponse> {
  const { input, mock, ...more } = request;
  const { result, ...otherMock } = mock ?? {};
  return testState(
    {
      ...more,
      definition: JSON.stringify(definition),
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
      ...(mock && {
        mock: { ...otherMock, ...(result === undefined ? {} : { result: JSON.stringify(result) }) },
      }),
    },
    { ...dependencies, runTask },
  );
}

async function refusalOf(definition: JsonObject, request: Request = {}): Promise<string> {
  try {
    await run(definition, request);
  } catch (error) {
    assert.ok(error instanceof TestStateProblem, String(error));
    return `${error.code}: ${error.message}`;
  }
  throw new Error('the request was not refused');
}

/** Output and inspection data hold JSON texts. */
function readable(response: TestStateResponse): Json {
  const parse = (value: unknown): unknown =>
    typeof value === 'string' ? JSON.parse(value) : value;
  const { output, inspectionData, ...rest } = response;
  const inspected = Object.entries(inspectionData ?? {}).map(([key, value]) => [key, parse(value)]);
  return JSON.parse(
    JSON.stringify({
      ...rest,
      ...(output === undefined ? {} : { output: parse(output) }),
      ...(inspectionData && { inspectionData: Object.fromEntries(inspected) }),
    }),
  );
}

const lambda = 'arn:aws:states:::lambda:invoke';
const branch = { StartAt: 'B', States: { B: { Type: 'Pass', End: true } } };
const mapOf = (fields: JsonObject): JsonObject => ({
  Type: 'Map',
  ItemProcessor: branch,
  End: true,
  ...fields,
});
const failing = { errorOutput: { error: 'E', cause: 'C' } };

void test('DEBUG shows each step of a JSONPath Task', async () => {
  const state = {
    Type: 'Task',
    Resource: lambda,
    InputPath: '$.in',
    Parameters: { 'a.$': '$.x' },
    ResultSelector: { 'b.$': '$.Payload' },
    ResultPath: '$.out',
    Assign: { 'v.$': '$.Payload' },
    Next: 'Later',
  };
  const response = await run(state, {
    input: { in: { x: 1 } },
    inspectionLevel: 'DEBUG',
    variables: '{"w":1}',
    mock: { result: { Payload: 2 } },
  });
  assert.deepEqual(readable(response), {
    status: 'SUCCEEDED',
    nextState: 'Later',
    output: { in: { x: 1 }, out: { b: 2 } },
    inspectionData: {
      input: { in: { x: 1 } },
      afterInputPath: { x: 1 },
      afterParameters: { a: 1 },
      result: { Payload: 2 },
      afterResultSelector: { b: 2 },
      afterResultPath: { in: { x: 1 }, out: { b: 2 } },
      variables: { w: 1, v: 2 },
    },
  });
});

void test('INFO shows output, status and next state only', async () => {
  const state = {
    Type: 'Choice',
    Choices: [{ Variable: '$', IsNull: true, Next: 'A' }],
    Default: 'B',
  };
  assert.deepEqual(readable(await run(state, { input: null })), {
    status: 'SUCCEEDED',
    output: null,
    nextState: 'A',
  });
});

void test('without a mock a Task is run, with its evaluated arguments, once', async () => {
  const calls: Json[] = [];
  const runTask: RunTask = (call) => {
    calls.push([call.resource, call.arguments, call.timeoutSeconds ?? null]);
    return Promise.resolve({ result: { Payload: 'done' } });
  };
  const state = {
    Type: 'Task',
    Resource: lambda,
    Parameters: { 'n.$': '$.n' },
    TimeoutSeconds: 5,
    End: true,
  };
  const response = await run(state, { input: { n: 1 }, roleArn: 'arn:aws:iam::1:role/r' }, runTask);
  assert.deepEqual(readable(response), { status: 'SUCCEEDED', output: { Payload: 'done' } });
  assert.deepEqual(calls, [[lambda, { n: 1 }, 5]]);
});

void test('the context object is made up as AWS does, or taken from the request', async () => {
  const state = {
    Type: 'Task',
    QueryLanguage: 'JSONata',
    Resource: lambda,
    Output: '{% $states.context %}',
    End: true,
  };
  const mock = { result: {} };
  const made = readable(await run(state, { mock, stateConfiguration: { retrierRetryCount: 2 } }));
  assert.match(
    JSON.stringify(made),
    /"Execution":\{"Id":"arn:aws:states:us-east-1:111111111111:express:[\w-]+:[\w-]+","Input":\{\},.*"State":\{"Name":"StateName","EnteredTime":"2024-01-01T00:00:00.000Z","RetryCount":2\}/,
  );
  const given = await run(state, { mock, context: '{"Execution":{"Name":"e"}}' });
  assert.equal(given.output, '{"Execution":{"Name":"e"}}');
});

void test('Retry is asked first, by the retries already made, then Catch', async () => {
  const state = {
    Type: 'Task',
    Resource: lambda,
    Retry: [{ ErrorEquals: ['X'] }, { ErrorEquals: ['E'], IntervalSeconds: 2, MaxAttempts: 3 }],
    Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.e', Next: 'Caught' }],
    End: true,
  };
  const after = (retrierRetryCount: number) =>
    run(state, {
      mock: failing,
      inspectionLevel: 'DEBUG',
      stateConfiguration: { retrierRetryCount },
    });
  const retriable = await after(1);
  assert.equal(retriable.status, 'RETRIABLE');
  assert.deepEqual(retriable.inspectionData?.['errorDetails'], {
    retryIndex: 1,
    retryBackoffIntervalSeconds: 4,
  });
  const caught = await after(3);
  assert.equal(caught.status, 'CAUGHT_ERROR');
  assert.equal(caught.nextState, 'Caught');
  assert.equal(caught.output, '{"e":{"Error":"E","Cause":"C"}}');
  assert.deepEqual(caught.inspectionData?.['errorDetails'], { retryIndex: 1, catchIndex: 0 });
});

void test('a Catch whose own Output fails leaves the state failed with that error', async () => {
  const state = {
    Type: 'Task',
    QueryLanguage: 'JSONata',
    Resource: lambda,
    Catch: [{ ErrorEquals: ['E'], Output: '{% $nope %}', Next: 'Caught' }],
    End: true,
  };
  const response = await run(state, { mock: failing });
  assert.equal(response.status, 'FAILED');
  assert.equal(response.error, 'States.QueryEvaluationError');
  assert.match(response.cause ?? '', /specified for the field 'Catch\[0\]\/Output'/);
});

void test('an error can be told to come from a state inside, if there is such a state', async () => {
  const mocked = { input: [1], mock: failing };
  const response = await run(mapOf({}), {
    ...mocked,
    stateConfiguration: { errorCausedByState: 'B' },
  });
  assert.equal(response.error, 'E');
  assert.equal(
    await refusalOf(mapOf({}), { ...mocked, stateConfiguration: { errorCausedByState: 'X' } }),
    "ValidationException: errorCausedByState 'X' is not a state inside the tested state",
  );
});

void test('a failed expression is the outcome of the state, without the prefix of an execution', async () => {
  const state = {
    Type: 'Pass',
    QueryLanguage: 'JSONata',
    Output: '{% $states.input.a %}',
    End: true,
  };
  assert.deepEqual(readable(await run(state)), {
    status: 'FAILED',
    error: 'States.QueryEvaluationError',
    cause:
      "The JSONata expression '$states.input.a' specified for the field 'Output' returned nothing (undefined).",
  });
});

void test('a Map is tested with its iterations mocked, and its tolerated failures held against', async () => {
  const state = mapOf({
    ItemSelector: { 'v.$': '$$.Map.Item.Value' },
    MaxConcurrency: 3,
    ToleratedFailurePercentage: 50,
  });
  const withFailures = (mapIterationFailureCount: number) =>
    run(state, {
      input: [1, 2],
      mock: { result: [10, 20] },
      inspectionLevel: 'DEBUG',
      stateConfiguration: { mapIterationFailureCount },
    });
  assert.deepEqual(readable(await withFailures(1)), {
    status: 'SUCCEEDED',
    output: [10, 20],
    inspectionData: {
      input: [1, 2],
      afterInputPath: [1, 2],
      afterItemsPath: [1, 2],
      afterItemSelector: [{ v: 1 }, { v: 2 }],
      maxConcurrency: 3,
      toleratedFailurePercentage: 50,
      afterResultSelector: [10, 20],
      afterResultPath: [10, 20],
    },
  });
  assert.equal((await withFailures(2)).error, 'States.ExceedToleratedFailureThreshold');
});

void test('a state of a whole machine is found by its name, inside others too', async () => {
  const machine = { StartAt: 'M', States: { M: mapOf({}) } };
  assert.equal((await run(machine, { stateName: 'B', input: 5 })).output, '5');
  assert.equal(
    await refusalOf(machine, { stateName: 'X' }),
    'ValidationException: State not found in definition',
  );
});

const task = { Type: 'Task', Resource: lambda, End: true };
const putEvents = { ...task, Resource: 'arn:aws:states:::events:putEvents' };
const startSync = { ...task, Resource: 'arn:aws:states:::states:startExecution.sync:2' };
const refusals: [string, JsonObject, Request, string][] = [
  [
    'result and error in one mock',
    task,
    { mock: { result: 1, ...failing } },
    'ValidationException: A test mock should have only one of the following fields: [result, errorOutput].',
  ],
  [
    'secrets with a mock',
    task,
    { mock: { result: {} }, revealSecrets: true },
    'ValidationException: TestState does not support RevealSecrets when a mock is specified.',
  ],
  [
    'a mock for a Pass',
    { Type: 'Pass', End: true },
    { mock: { result: 1 } },
    "ValidationException: State type 'Pass' is not supported when a mock is specified",
  ],
  [
    'a Map without a mock',
    mapOf({}),
    {},
    'InvalidDefinition: TestState API does not support Map or Parallel states. Supported state types include: [Task, Wait, Pass, Succeed, Fail, Choice]',
  ],
  [
    'a Task without a mock or a role',
    task,
    {},
    'ValidationException: RoleArn must be specified when testing a Task state',
  ],
  [
    'a mocked Map that gives no list',
    mapOf({}),
    { input: [], mock: { result: {} } },
    'ValidationException: Mocked result must be an array.',
  ],
  [
    'more failures than items',
    mapOf({}),
    { input: [1], mock: { result: [1] }, stateConfiguration: { mapIterationFailureCount: 2 } },
    'ValidationException: Map iteration failure count must be less than or equal to the number of Map iterations',
  ],
  [
    'fewer results than branches',
    {
      Type: 'Parallel',
      Branches: [branch, { ...branch, StartAt: 'C', States: { C: { Type: 'Succeed' } } }],
      End: true,
    },
    { mock: { result: [1] } },
    'ValidationException: Mocked result must contain the same number of items as number of Parallel branches.',
  ],
  [
    'a list where the API answers a text',
    putEvents,
    { mock: { result: { Entries: [{}, { EventId: [] }] } } },
    "ValidationException: Mock result schema validation error: Field 'EventId' must be a string",
  ],
  [
    'a missing field of the polled API, in STRICT',
    startSync,
    { mock: { result: { ExecutionArn: 'a', StateMachineArn: 'b', StartDate: 'c' } } },
    "ValidationException: Mock result schema validation error: Field 'Status' is required",
  ],
  [
    'a status that there is not',
    startSync,
    { mock: { result: { Status: 'DONE' }, fieldValidationMode: 'PRESENT' } },
    "ValidationException: Mock result schema validation error: Field 'Status' is not an expected value",
  ],
  [
    'a context object with Map',
    task,
    { mock: { result: {} }, context: '{"Map":{}}' },
    "ValidationException: Invalid Context object provided: 'Map' field is not supported when mocking a Context object",
  ],
  [
    'a context object with a number for a text',
    task,
    { mock: { result: {} }, context: '{"Execution":{"Id":1}}' },
    'ValidationException: Invalid Context object provided: Execution.Id must be a string',
  ],
  [
    'a definition that AWS refuses',
    { Type: 'Pass', Catch: [], End: true },
    {},
    "InvalidDefinition: Invalid State Machine Definition: 'SCHEMA_VALIDATION_FAILED: Field 'Catch' is not supported at /States/StateName'",
  ],
];

for (const [what, definition, request, expected] of refusals) {
  void test(`refused: ${what}`, async () => {
    assert.equal(await refusalOf(definition, request), expected);
  });
}

void test('fieldValidationMode NONE takes any result, PRESENT any missing field', async () => {
  const none = await run(putEvents, {
    mock: { result: { Entries: 'x' }, fieldValidationMode: 'NONE' },
  });
  assert.equal(none.status, 'SUCCEEDED');
  const present = await run(startSync, { mock: { result: {}, fieldValidationMode: 'PRESENT' } });
  assert.equal(present.status, 'SUCCEEDED');
});

test('JSON that nests too deep to be written again is refused wherever a request brings it', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const pass = JSON.stringify({ Type: 'Pass', End: true });
  const task = JSON.stringify({ Type: 'Task', Resource: lambda, End: true });
  const requests: [TestStateRequest, string][] = [
    [{ definition: pass, input: deep }, 'InvalidExecutionInput'],
    [{ definition: pass, variables: `{"v":${deep}}` }, 'ValidationException'],
    [{ definition: `{"Type":"Pass","End":true,"Result":${deep}}` }, 'InvalidDefinition'],
    [{ definition: task, mock: { result: deep } }, 'ValidationException'],
    [
      { definition: task, mock: { result: '{}' }, context: `{"Execution":{"Input":${deep}}}` },
      'ValidationException',
    ],
  ];
  for (const [request, code] of requests) {
    await assert.rejects(
      testState({ inspectionLevel: 'TRACE', ...request }, dependencies),
      (error) => error instanceof TestStateProblem && error.code === code,
    );
  }
});
