import { isJsonObject, type Json, type JsonObject } from '../language/json.ts';

/** What a mocked invocation does instead of calling the service. */
export type MockedResponse =
  | { readonly kind: 'return'; readonly value: Json }
  | { readonly kind: 'throw'; readonly error: string; readonly cause: string };

/** Which invocations (counted from 0) get a response. */
type Entry = { readonly from: number; readonly to: number; readonly response: MockedResponse };

export type MockConfig = {
  hasTestCase(machineName: string, testCase: string): boolean;
  /** Undefined for a state that the test case does not mock. */
  responsesOf(
    machineName: string,
    testCase: string,
    stateName: string,
  ): readonly Entry[] | undefined;
};

/** The mock configuration is not what it must be; the message names the place. */
export class MockConfigError extends Error {
  override readonly name = 'MockConfigError';
}

/**
 * Reads a mock configuration in the format of AWS Step Functions Local, and checks all of it.
 * https://docs.aws.amazon.com/step-functions/latest/dg/sfn-local-mock-cfg-file.html
 */
export function parseMockConfig(text: string): MockConfig {
  const config = objectAt(parseJson(text), 'the mock configuration');
  const responses = new Map<string, Entry[]>();
  for (const [name, given] of Object.entries(
    objectAt(config['MockedResponses'], 'MockedResponses'),
  )) {
    responses.set(name, parseEntries(given, `MockedResponses.${name}`));
  }
  const machines = objectAt(config['StateMachines'], 'StateMachines');
  const cases = new Map<string, Map<string, Entry[]>>();
  for (const [machine, given] of Object.entries(machines)) {
    const at = `StateMachines.${machine}`;
    const testCases = objectAt(objectAt(given, at)['TestCases'], `${at}.TestCases`);
    for (const [testCase, states] of Object.entries(testCases)) {
      cases.set(
        `${machine}#${testCase}`,
        parseStates(states, `${at}.TestCases.${testCase}`, responses),
      );
    }
  }
  return {
    hasTestCase: (machine, testCase) => cases.has(`${machine}#${testCase}`),
    responsesOf: (machine, testCase, state) => cases.get(`${machine}#${testCase}`)?.get(state),
  };
}

export function responseFor(
  entries: readonly Entry[],
  invocation: number,
): MockedResponse | undefined {
  return entries.find(({ from, to }) => from <= invocation && invocation <= to)?.response;
}

function parseStates(
  given: Json | undefined,
  at: string,
  responses: ReadonlyMap<string, Entry[]>,
): Map<string, Entry[]> {
  const states = new Map<string, Entry[]>();
  for (const [state, name] of Object.entries(objectAt(given, at))) {
    const entries = typeof name === 'string' ? responses.get(name) : undefined;
    if (!entries) {
      throw new MockConfigError(
        `${at}.${state} must name one of MockedResponses, but is ${JSON.stringify(name)}`,
      );
    }
    states.set(state, entries);
  }
  return states;
}

function parseEntries(given: Json | undefined, at: string): Entry[] {
  return Object.entries(objectAt(given, at)).map(([key, response]) => {
    const match = /^(\d+)(?:-(\d+))?$/.exec(key);
    const from = Number(match?.[1]);
    const to = Number(match?.[2] ?? match?.[1]);
    if (!match || to < from) {
      throw new MockConfigError(
        `${at}.${key}: the key must be an invocation ("0") or a range ("1-2")`,
      );
    }
    return { from, to, response: parseResponse(response, `${at}.${key}`) };
  });
}

function parseResponse(given: Json | undefined, at: string): MockedResponse {
  const { Return: value, Throw: thrown } = objectAt(given, at);
  if ((value === undefined) === (thrown === undefined)) {
    throw new MockConfigError(`${at} must have either 'Return' or 'Throw'`);
  }
  if (value !== undefined) return { kind: 'return', value };
  const { Error: error, Cause: cause = '' } = objectAt(thrown, `${at}.Throw`);
  if (typeof error !== 'string' || typeof cause !== 'string') {
    throw new MockConfigError(
      `${at}.Throw must have an 'Error' and may have a 'Cause', both texts`,
    );
  }
  return { kind: 'throw', error, cause };
}

function objectAt(value: unknown, at: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new MockConfigError(`${at} must be an object`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new MockConfigError(`the mock configuration is not JSON: ${problem}`);
  }
}
