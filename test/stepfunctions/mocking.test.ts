import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MockConfigError, parseMockConfig } from '../../local/stepfunctions/mocking/mock-config.ts';
import { fail, startFixture, succeed, task, type Described } from './engine-fixture.ts';
import { distributedMap } from './map-run-fixture.ts';

const config = (states: object, responses: object): ReturnType<typeof parseMockConfig> =>
  parseMockConfig(
    JSON.stringify({
      StateMachines: { 'machine-1': { TestCases: { Case: states } } },
      MockedResponses: responses,
    }),
  );

const machine = {
  StartAt: 'Call',
  States: {
    Call: task('real', {
      Retry: [{ ErrorEquals: ['Flaky'], IntervalSeconds: 1, MaxAttempts: 2 }],
      Next: 'Unmocked',
    }),
    Unmocked: task('other', { Parameters: { FunctionName: 'other' } }),
  },
};

test('a test case answers for its states, invocation by invocation, and no one else does', async () => {
  const called: string[] = [];
  const fixture = await startFixture(
    (call) => {
      called.push(call.stateName);
      return succeed({ real: true });
    },
    {
      mockConfig: config(
        { Call: 'flaky' },
        {
          flaky: {
            '0-1': { Throw: { Error: 'Flaky', Cause: 'not yet' } },
            '2': { Return: { StatusCode: 200, Payload: 'third' } },
          },
        },
      ),
    },
  );
  const arn = await fixture.create(machine);
  const executionArn = await fixture.start(`${arn}#Case`);
  let described: Described = await fixture.describe(executionArn);
  for (let retry = 0; described.status === 'RUNNING' && retry < 100; retry++) {
    await new Promise(setImmediate);
    fixture.clock.advance(2_000);
    described = await fixture.describe(executionArn);
  }
  assert.equal(described.status, 'SUCCEEDED');
  const events = await fixture.history(executionArn);
  assert.equal(events.filter(({ type }) => type === 'TaskFailed').length, 2);
  assert.deepEqual(called, ['Unmocked'], 'a state without a mock calls its service');

  called.length = 0;
  await fixture.ended(await fixture.start(arn));
  assert.deepEqual(called, ['Call', 'Unmocked'], 'without a test case nothing is mocked');
  fixture.stop();
});

test('callbacks, jobs and the children of a distributed Map are mocked with their results', async () => {
  const fixture = await startFixture(() => fail('Called'), {
    mockConfig: config(
      { Ask: 'answer', Work: 'work' },
      { answer: { '0': { Return: [1, 2] } }, work: { '0-1': { Return: 'done' } } },
    ),
  });
  const { Map: map } = distributedMap({ Work: task('work') }).States;
  const arn = await fixture.create({
    StartAt: 'Ask',
    States: {
      Ask: {
        Type: 'Task',
        Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
        Parameters: { QueueUrl: 'q', MessageBody: { 'token.$': '$$.Task.Token' } },
        Next: 'Map',
      },
      Map: map,
    },
  });
  const { status, output } = await fixture.ended(await fixture.start(`${arn}#Case`));
  assert.equal(status, 'SUCCEEDED');
  assert.deepEqual(JSON.parse(output ?? ''), ['done', 'done']);
  fixture.stop();
});

test('an unknown test case is refused, and so is an invocation without a response', async () => {
  const mockConfig = config({ Call: 'once' }, { once: { '5': { Return: 1 } } });
  const fixture = await startFixture(() => succeed(), { mockConfig });
  const arn = await fixture.create(machine);
  await assert.rejects(fixture.start(`${arn}#Nowhere`), { code: 'ValidationException' });
  const { error, cause } = await fixture.ended(await fixture.start(`${arn}#Case`));
  assert.equal(error, 'States.Runtime');
  assert.match(cause ?? '', /no mocked response for invocation 0 of 'Call'/);
  fixture.stop();
});

for (const [text, problem] of [
  ['{', /not JSON/],
  ['{"MockedResponses":{}}', /StateMachines must be an object/],
  [
    '{"StateMachines":{},"MockedResponses":{"a":{"x":{"Return":1}}}}',
    /MockedResponses\.a\.x: the key/,
  ],
  ['{"StateMachines":{},"MockedResponses":{"a":{"0":{}}}}', /either 'Return' or 'Throw'/],
  [
    '{"StateMachines":{"m":{"TestCases":{"c":{"s":"gone"}}}},"MockedResponses":{}}',
    /must name one of/,
  ],
] as const) {
  test(`a mock configuration that is wrong says where: ${problem.source}`, () => {
    assert.throws(
      () => parseMockConfig(text),
      (error) => error instanceof MockConfigError && problem.test(error.message),
    );
  });
}
