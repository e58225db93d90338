import type { TaskOutcome } from '../execution/command.ts';
import { isJsonObject, type Json } from '../language/json.ts';
import type { TaskRunner } from '../runtime/task-runner.ts';
import type { TaskCall } from '../tasks/task-call.ts';
import { responseFor, type MockConfig, type MockedResponse } from './mock-config.ts';

/**
 * Answers for the services in executions that were started with a test case
 * (`…:stateMachine:NAME#CASE`); what a test case does not mock goes to the real service.
 * Invocations are counted per execution and state, retries and Map children included; the count
 * begins anew with the process.
 */
export function createMockedTaskRunner(config: MockConfig, real: TaskRunner): TaskRunner {
  const invocations = new Map<string, number>();

  function mockOf(call: TaskCall): MockedResponse | undefined {
    const { testCase, stateName } = call;
    if (!testCase) return undefined;
    const entries = config.responsesOf(testCase.machineName, testCase.name, stateName);
    if (!entries) return undefined;
    const key = `${testCase.executionArn} ${stateName}`;
    const invocation = invocations.get(key) ?? 0;
    invocations.set(key, invocation + 1);
    return (
      responseFor(entries, invocation) ?? {
        kind: 'throw',
        error: 'States.Runtime',
        cause: `The test case '${testCase.name}' has no mocked response for invocation ${invocation} of '${stateName}'.`,
      }
    );
  }

  return {
    async call(call) {
      const mock = mockOf(call);
      return mock ? outcomeOf(mock, call) : real.call(call);
    },
    follow: (call, submitted) => real.follow(call, submitted),
  };
}

/** A callback or job is mocked with its result: there is nothing to wait for. */
function outcomeOf(mock: MockedResponse, call: TaskCall): TaskOutcome {
  if (mock.kind === 'throw') {
    return { kind: 'failed', failure: { error: mock.error, cause: mock.cause } };
  }
  return {
    kind: 'succeeded',
    output: call.service === 'lambda-function' ? payloadOf(mock.value) : mock.value,
  };
}

/** A plain function ARN gives the payload bare; mocks are written as Invoke answers. */
function payloadOf(value: Json): Json {
  return isJsonObject(value) && value['Payload'] !== undefined ? value['Payload'] : value;
}
