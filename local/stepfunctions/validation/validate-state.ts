import { getOwn, type Json, type JsonObject } from '../language/json.ts';
import { stateLanguage } from '../definition/parse-definition.ts';
import type { QueryLanguage } from '../definition/ast.ts';
import { assign } from './check-assign.ts';
import { checkLanguage } from './check-language.ts';
import { looksLikeReference, objectTemplate, template } from './check-template.ts';
import {
  anything,
  boolean,
  integer,
  number,
  oneOf,
  orExpression,
  path,
  pathOrIntrinsic,
  pathOrNull,
  resultPath,
  singlePath,
  target,
  text,
  timestamp,
} from './checks.ts';
import {
  at,
  checkExclusive,
  checkFieldNames,
  checkFields,
  expectObject,
  report,
  warn,
  type Check,
  type Place,
} from './place.ts';
import { choices } from './validate-choice.ts';
import { catchers, retry } from './validate-error-handling.ts';
import { checkProcessor, itemBatcher, itemReader, label, resultWriter } from './validate-map.ts';
import { credentials, resource } from './validate-task.ts';

/** The fields of each state type: https://states-language.net/spec.html#state-type-table */
const maxSeconds = 99_999_999;
const queryLanguages = ['JSONPath', 'JSONata'];

const everyState: Record<string, Check> = {
  Type: text,
  Comment: text,
  QueryLanguage: oneOf(queryLanguages),
};
const inputOutput: Record<string, Check> = {
  InputPath: pathOrNull,
  OutputPath: pathOrNull,
  Output: template(),
};
const transition: Record<string, Check> = { Next: target, End: boolean };
const resulting: Record<string, Check> = {
  ...everyState,
  ...inputOutput,
  ...transition,
  Output: template('result'),
  Assign: assign('result'),
  ResultPath: resultPath,
  ResultSelector: objectTemplate(),
  Parameters: objectTemplate(),
  Arguments: template(),
  Retry: retry,
  Catch: catchers,
};

const fieldsByType = {
  Task: {
    ...resulting,
    Resource: resource,
    Credentials: credentials,
    TimeoutSeconds: orExpression(integer(1, maxSeconds)),
    TimeoutSecondsPath: singlePath,
    HeartbeatSeconds: orExpression(integer(1, maxSeconds)),
    HeartbeatSecondsPath: singlePath,
  },
  Wait: {
    ...everyState,
    ...inputOutput,
    ...transition,
    Assign: assign(),
    Seconds: orExpression(integer(0, maxSeconds)),
    SecondsPath: singlePath,
    Timestamp: orExpression(timestamp),
    TimestampPath: singlePath,
  },
  Pass: {
    ...everyState,
    ...inputOutput,
    ...transition,
    Assign: assign(),
    Result: staticResult,
    ResultPath: resultPath,
    Parameters: template(),
  },
  Succeed: { ...everyState, ...inputOutput },
  Fail: {
    ...everyState,
    Error: orExpression(text),
    ErrorPath: pathOrIntrinsic,
    Cause: orExpression(text),
    CausePath: pathOrIntrinsic,
  },
  Choice: {
    ...everyState,
    ...inputOutput,
    Assign: assign(),
    Choices: choices,
    Default: target,
  },
  // Branches, ItemProcessor and Iterator hold states: validate-graph.ts looks into them.
  Parallel: { ...resulting, Branches: anything },
  Map: {
    ...resulting,
    Parameters: template(),
    ItemProcessor: anything,
    Iterator: anything,
    ItemsPath: path,
    Items: template(),
    ItemSelector: template(),
    ItemReader: itemReader,
    ItemBatcher: itemBatcher,
    ResultWriter: resultWriter,
    MaxConcurrency: orExpression(integer(0, Number.MAX_SAFE_INTEGER * 1_100)),
    MaxConcurrencyPath: singlePath,
    ToleratedFailureCount: orExpression(integer(0, Number.MAX_SAFE_INTEGER)),
    ToleratedFailureCountPath: singlePath,
    ToleratedFailurePercentage: orExpression(number(0, 100, false)),
    ToleratedFailurePercentagePath: singlePath,
    Label: label,
  },
} satisfies Record<string, Record<string, Check>>;

type StateType = keyof typeof fieldsByType;

const requiredByType: Partial<Record<StateType, readonly string[]>> = {
  Task: ['Resource'],
  Choice: ['Choices'],
  Parallel: ['Branches'],
};

const exclusive: Partial<Record<StateType, readonly (readonly string[])[]>> = {
  Task: [
    ['TimeoutSeconds', 'TimeoutSecondsPath'],
    ['HeartbeatSeconds', 'HeartbeatSecondsPath'],
  ],
  Fail: [
    ['Error', 'ErrorPath'],
    ['Cause', 'CausePath'],
  ],
  Map: [
    ['MaxConcurrency', 'MaxConcurrencyPath'],
    ['ToleratedFailureCount', 'ToleratedFailureCountPath'],
    ['ToleratedFailurePercentage', 'ToleratedFailurePercentagePath'],
  ],
};

/** Validates one state's own fields, without the states inside it and without where it leads to. */
export function validateState(
  value: Json,
  machineLanguage: QueryLanguage,
  around: Place,
): JsonObject | undefined {
  const state = expectObject(value, around);
  if (!state) return undefined;
  const type = getOwn(state, 'Type');
  if (type === undefined) {
    report(around, 'These fields are required: [Type]');
    return undefined;
  }
  if (!isStateType(type)) {
    report(
      at(around, 'Type'),
      `The field 'Type' should have one of these values: [${Object.keys(fieldsByType).join(', ')}]`,
    );
    return undefined;
  }
  const place = { ...around, queryLanguage: stateLanguage(state, machineLanguage) };
  checkFieldNames(state, fieldsByType[type], requiredByType[type] ?? [], place);
  if (!checkDowngrade(state, machineLanguage, place)) checkLanguage(state, place);
  checkFields(state, fieldsByType[type], place);
  for (const names of exclusive[type] ?? []) checkExclusive(state, names, place);
  checkTransition(type, state, place);
  checkByType(type, state, place);
  return state;
}

function isStateType(type: Json): type is StateType {
  return typeof type === 'string' && Object.hasOwn(fieldsByType, type);
}

/** A JSONata machine cannot hold JSONPath states; that is then the whole answer about its language. */
function checkDowngrade(state: JsonObject, machineLanguage: QueryLanguage, place: Place): boolean {
  const isDowngrade = machineLanguage === 'JSONata' && state['QueryLanguage'] === 'JSONPath';
  if (isDowngrade) {
    report(
      place,
      "'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine",
    );
  }
  return isDowngrade;
}

function checkTransition(type: StateType, state: JsonObject, place: Place): void {
  if (type === 'Choice' || type === 'Succeed' || type === 'Fail') return;
  const isEnd = state['End'] === true;
  const hasNext = Object.hasOwn(state, 'Next');
  if (isEnd && hasNext) report(place, 'Only one of these fields is allowed: [Next, End]');
  if (!isEnd && !hasNext) report(place, 'One of these fields is required: [Next, End]');
}

function checkByType(type: StateType, state: JsonObject, place: Place): void {
  if (type === 'Wait') checkWait(state, place);
  if (type === 'Task') checkHeartbeat(state, place);
  if (type === 'Map') checkProcessor(state, place);
}

function checkWait(state: JsonObject, place: Place): void {
  const names = ['Seconds', 'SecondsPath', 'Timestamp', 'TimestampPath'];
  const present = names.filter((name) => Object.hasOwn(state, name));
  if (present.length !== 1) {
    report(place, `Exactly one of these fields is required: [${names.join(', ')}]`);
  }
}

function checkHeartbeat(state: JsonObject, place: Place): void {
  const heartbeat = state['HeartbeatSeconds'];
  const timeout = state['TimeoutSeconds'];
  if (typeof heartbeat === 'number' && typeof timeout === 'number' && heartbeat >= timeout) {
    report(
      at(place, 'HeartbeatSeconds'),
      "'HeartbeatSeconds' must be smaller than 'TimeoutSeconds'",
    );
  }
}

/** A Pass state's Result is taken as it stands. */
function staticResult(value: Json, place: Place): void {
  const isReference = (each: Json): boolean =>
    looksLikeReference(each) ||
    (typeof each === 'object' && each !== null && Object.values(each).some(isReference));
  if (isReference(value)) {
    warn(
      place,
      'The Result of a Pass state is static: paths and intrinsic functions in it are not evaluated',
      'PASS_RESULT_IS_STATIC',
    );
  }
}
