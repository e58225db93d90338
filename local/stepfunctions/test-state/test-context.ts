import { randomUUID } from 'node:crypto';
import type { State } from '../definition/ast.ts';
import { isJsonObject, type Json, type JsonObject } from '../language/json.ts';
import { parseJson } from '../language/parse-json.ts';
import { soleStateName } from './tested-state.ts';
import { invalidRequest } from './test-state-problem.ts';
import type { TestStateDependencies, TestStateRequest } from './test-state-request.ts';

/** The context object of a tested state: the request's own, or one as AWS makes it up. */
export function testContext(
  request: TestStateRequest,
  state: State,
  input: Json,
  { region, accountId, now }: TestStateDependencies,
): JsonObject {
  if (request.context !== undefined) return givenContext(request.context, state);
  const execution = randomUUID();
  const machine = randomUUID();
  const at = now().toISOString();
  return {
    Execution: {
      Id: `arn:aws:states:${region}:${accountId}:express:${machine}:${execution}`,
      Input: input,
      Name: execution,
      ...(request.roleArn === undefined ? {} : { RoleArn: request.roleArn }),
      StartTime: at,
    },
    StateMachine: {
      Id: `arn:aws:states:${region}:${accountId}:stateMachine:${machine}`,
      Name: machine,
    },
    State: {
      Name: request.stateName ?? soleStateName,
      EnteredTime: at,
      RetryCount: request.stateConfiguration?.retrierRetryCount ?? 0,
    },
  };
}

/** The members a mocked context object may have, with their types. */
const members: Readonly<Record<string, Readonly<Record<string, 'string' | 'number' | 'any'>>>> = {
  Execution: {
    Id: 'string',
    Input: 'any',
    Name: 'string',
    RoleArn: 'string',
    StartTime: 'string',
    RedriveCount: 'number',
    RedriveTime: 'string',
  },
  State: { EnteredTime: 'string', Name: 'string', RetryCount: 'number' },
  StateMachine: { Id: 'string', Name: 'string' },
  Task: { Token: 'string' },
};

function givenContext(text: string, state: State): JsonObject {
  const context = parseContext(text);
  const refuse = (reason: string): Error =>
    invalidRequest(`Invalid Context object provided: ${reason}`);
  for (const [name, value] of Object.entries(context)) {
    const fields = Object.hasOwn(members, name) ? members[name] : undefined;
    if (fields === undefined) {
      throw refuse(`'${name}' field is not supported when mocking a Context object`);
    }
    if (!isJsonObject(value)) throw refuse(`${name} must be an object`);
    for (const [field, type] of Object.entries(fields)) {
      const given = Object.hasOwn(value, field) ? value[field] : undefined;
      if (given !== undefined && type !== 'any' && typeof given !== type) {
        throw refuse(`${name}.${field} must be a ${type}`);
      }
    }
  }
  if (Object.hasOwn(context, 'Task') && !waitsForAnother(state)) {
    throw refuse(
      "Context object contains 'Task' when state is not a Task state with a '.sync' or '.waitForTaskToken' service integration pattern",
    );
  }
  return context;
}

function parseContext(text: string): JsonObject {
  try {
    const context = parseJson(text);
    if (isJsonObject(context)) return context;
  } catch {
    // Said below, as for JSON that is no object.
  }
  throw invalidRequest('Invalid Context object provided: it must be a JSON object');
}

/** A Task that ends when another service says so. */
export function waitsForAnother(state: State): boolean {
  return state.type === 'Task' && /\.(sync(:2)?|waitForTaskToken)$/.test(state.resource);
}
