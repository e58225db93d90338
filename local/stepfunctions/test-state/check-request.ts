import type { State } from '../definition/ast.ts';
import { isJsonObject, type Json } from '../language/json.ts';
import { parseJson } from '../language/parse-json.ts';
import type { Variables } from '../language/scope.ts';
import { checkMockResult } from './check-mock-result.ts';
import { findState, innerGraphs } from './tested-state.ts';
import { waitsForAnother } from './test-context.ts';
import { invalidRequest, TestStateProblem } from './test-state-problem.ts';
import type { Mock, TestStateRequest } from './test-state-request.ts';

/** A mock as it is used: the result of the state, or the error it ends with. */
export type MockedOutcome =
  | { readonly result: Json }
  | { readonly error?: string; readonly cause?: string };

const mockable = ['Task', 'Map', 'Parallel'];

/**
 * What the mock says, after every check AWS makes of mock, state and role together; undefined without a mock.
 * https://docs.aws.amazon.com/step-functions/latest/dg/test-state-isolation.html
 */
export function mockedOutcome(request: TestStateRequest, state: State): MockedOutcome | undefined {
  const { mock } = request;
  if (!mock) {
    checkWithoutMock(request, state);
    return undefined;
  }
  if (mock.result !== undefined && mock.errorOutput !== undefined) {
    throw invalidRequest(
      'A test mock should have only one of the following fields: [result, errorOutput].',
    );
  }
  if (mock.result === undefined && mock.errorOutput === undefined) {
    throw invalidRequest(
      'A test mock should have one of the following fields: [result, errorOutput].',
    );
  }
  if (request.revealSecrets === true) {
    throw invalidRequest('TestState does not support RevealSecrets when a mock is specified.');
  }
  if (!mockable.includes(state.type)) {
    throw invalidRequest(`State type '${state.type}' is not supported when a mock is specified`);
  }
  checkErrorCausedByState(request, state);
  if (mock.errorOutput) return mock.errorOutput;
  return { result: mockedResult(mock, state) };
}

function checkWithoutMock(request: TestStateRequest, state: State): void {
  if (state.type === 'Map' || state.type === 'Parallel') {
    throw new TestStateProblem(
      'InvalidDefinition',
      'TestState API does not support Map or Parallel states. Supported state types include: [Task, Wait, Pass, Succeed, Fail, Choice]',
    );
  }
  if (request.context !== undefined) {
    throw invalidRequest('A Context object can only be specified together with a mock');
  }
  if (request.stateConfiguration?.errorCausedByState !== undefined) {
    throw invalidRequest('errorCausedByState can only be specified together with a mock');
  }
  if (state.type !== 'Task') return;
  if (waitsForAnother(state) || state.resource.includes(':activity:')) {
    throw new TestStateProblem(
      'InvalidDefinition',
      "TestState API supports Activity tasks and the '.sync' and '.waitForTaskToken' service integration patterns only when a mock is specified",
    );
  }
  if (request.roleArn === undefined) {
    throw invalidRequest('RoleArn must be specified when testing a Task state');
  }
}

function checkErrorCausedByState(request: TestStateRequest, state: State): void {
  const name = request.stateConfiguration?.errorCausedByState;
  if (name === undefined) return;
  if (request.mock?.errorOutput === undefined) {
    throw invalidRequest('errorCausedByState requires a mock with errorOutput');
  }
  if (!innerGraphs(state).some((graph) => findState(graph, name) !== undefined)) {
    throw invalidRequest(`errorCausedByState '${name}' is not a state inside the tested state`);
  }
}

function mockedResult(mock: Mock, state: State): Json {
  const result = parseResult(mock.result ?? '');
  const needsArray = state.type === 'Parallel' || (state.type === 'Map' && !state.resultWriter);
  if (needsArray && !Array.isArray(result)) throw invalidRequest('Mocked result must be an array.');
  if (
    state.type === 'Parallel' &&
    Array.isArray(result) &&
    result.length !== state.branches.length
  ) {
    throw invalidRequest(
      'Mocked result must contain the same number of items as number of Parallel branches.',
    );
  }
  if (state.type === 'Task') {
    checkMockResult(state.resource, result, mock.fieldValidationMode ?? 'STRICT');
  }
  return result;
}

function parseResult(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw invalidRequest('Mocked result must be valid JSON');
  }
}

/** `{}` when none are given. */
export function parseVariables(text: string | undefined): Variables {
  if (text === undefined) return {};
  try {
    const variables = parseJson(text);
    if (isJsonObject(variables)) return variables;
  } catch {
    // Said below, as for JSON that is no object.
  }
  throw invalidRequest('Variables must be a valid JSON object');
}
