import type { Catcher, State } from '../definition/ast.ts';
import { finishCatch } from '../language/finish-state.ts';
import type { Json, JsonObject } from '../language/json.ts';
import { findTaker } from '../language/match-error.ts';
import { parseJson } from '../language/parse-json.ts';
import { retryDelaySeconds } from '../language/retry-delay.ts';
import type { Scope, Variables } from '../language/scope.ts';
import { StatesError } from '../language/states-error.ts';
import { mockedOutcome, parseVariables } from './check-request.ts';
import { Inspection } from './inspection.ts';
import { runTestedState } from './run-tested-state.ts';
import { StateFailure } from './state-failure.ts';
import { testContext } from './test-context.ts';
import { testedState } from './tested-state.ts';
import { TestStateProblem } from './test-state-problem.ts';
import type {
  ErrorDetails,
  TestStateDependencies,
  TestStateRequest,
  TestStateResponse,
} from './test-state-request.ts';

/**
 * TestState: runs one state, for real or with a mock, and tells what came of it.
 * https://docs.aws.amazon.com/step-functions/latest/dg/test-state-isolation.html
 * Rejects with TestStateProblem for a request that is refused. A Wait is evaluated, not waited for.
 */
export async function testState(
  request: TestStateRequest,
  dependencies: TestStateDependencies,
): Promise<TestStateResponse> {
  const state = testedState(request.definition, request.stateName);
  const mocked = mockedOutcome(request, state);
  const input = parseInput(request.input ?? '{}');
  const context = testContext(request, state, input, dependencies);
  const scope: Scope = {
    stateName: state.name,
    input,
    context: () => context,
    variables: parseVariables(request.variables),
  };
  const inspection = new Inspection(input);
  const configuration = request.stateConfiguration ?? {};
  const response = await respond(
    state,
    scope,
    inspection,
    () =>
      runTestedState(state, {
        scope,
        inspection,
        mocked,
        configuration,
        runTask: dependencies.runTask,
        nowMs: dependencies.now().getTime(),
      }),
    { retries: configuration.retrierRetryCount ?? 0, random: dependencies.random },
  );
  const isShown = request.inspectionLevel === 'DEBUG' || request.inspectionLevel === 'TRACE';
  return isShown ? { ...response, inspectionData: inspection.toData() } : response;
}

type Retrying = { readonly retries: number; readonly random: () => number };

async function respond(
  state: State,
  scope: Scope,
  inspection: Inspection,
  run: () => ReturnType<typeof runTestedState>,
  retrying: Retrying,
): Promise<TestStateResponse> {
  try {
    const { output, assigned, next } = await run();
    showVariables(inspection, scope.variables, assigned);
    return {
      status: 'SUCCEEDED',
      output: JSON.stringify(output),
      ...(next === undefined ? {} : { nextState: next }),
    };
  } catch (error) {
    if (!isFailure(error)) throw error;
    return failed(state, scope, inspection, error, retrying);
  }
}

function isFailure(error: unknown): error is StateFailure | StatesError {
  return error instanceof StateFailure || error instanceof StatesError;
}

/** Retry first, then Catch, as in an execution. */
async function failed(
  state: State,
  scope: Scope,
  inspection: Inspection,
  failure: StateFailure | StatesError,
  { retries, random }: Retrying,
): Promise<TestStateResponse> {
  const { error } = failure;
  const about = aboutFailure(failure);
  const retryIndex = 'retry' in state ? findTaker(state.retry, error) : -1;
  const retrier = 'retry' in state ? state.retry[retryIndex] : undefined;
  const retryDetails: ErrorDetails = retrier ? { retryIndex } : {};
  if (retrier && retries < retrier.maxAttempts) {
    const retryBackoffIntervalSeconds = retryDelaySeconds(retrier, retries, random);
    inspection.showErrorDetails({ ...retryDetails, retryBackoffIntervalSeconds });
    return { status: 'RETRIABLE', ...about };
  }
  const catchIndex = 'catch' in state ? findTaker(state.catch, error) : -1;
  const catcher = 'catch' in state ? state.catch[catchIndex] : undefined;
  if (!catcher) {
    if (retrier) inspection.showErrorDetails(retryDetails);
    return { status: 'FAILED', ...about };
  }
  inspection.showErrorDetails({ ...retryDetails, catchIndex });
  return caught(state, catcher, scope, inspection, failure);
}

/** A Catch whose own Output, Assign or ResultPath fails leaves the state failed with that error. */
async function caught(
  state: State,
  catcher: Catcher,
  scope: Scope,
  inspection: Inspection,
  failure: StateFailure | StatesError,
): Promise<TestStateResponse> {
  const errorOutput = { Error: failure.error ?? '', Cause: failure.cause ?? '' };
  try {
    const finished = await finishCatch(catcher, state.queryLanguage, scope, errorOutput);
    showVariables(inspection, scope.variables, finished.assigned);
    return {
      status: 'CAUGHT_ERROR',
      ...aboutFailure(failure),
      output: JSON.stringify(finished.output),
      nextState: catcher.next,
    };
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { status: 'FAILED', ...aboutFailure(error) };
  }
}

function aboutFailure({ error, cause }: StateFailure | StatesError) {
  return {
    ...(error === undefined ? {} : { error }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** The variables as the next state would see them. */
function showVariables(
  inspection: Inspection,
  before: Variables,
  assigned: JsonObject | undefined,
): void {
  const variables = { ...before, ...assigned };
  if (Object.keys(variables).length > 0) inspection.show('variables', variables);
}

function parseInput(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new TestStateProblem(
      'InvalidExecutionInput',
      `Invalid State Machine Execution Input: '${message}'`,
    );
  }
}
