import type { FailState, PassState, SucceedState, TaskState, WaitState } from './ast.ts';
import { optional } from './optional.ts';
import {
  commonFields,
  errorHandling,
  inputOutput,
  resultHandling,
  transition,
} from './parse-shared-fields.ts';
import {
  field,
  readNumberField,
  readReferencePath,
  readTemplate,
  readText,
  readTextField,
  readTimestampField,
  type Source,
} from './read-fields.ts';

/** The state types that hold no other states and decide nothing. */
export function parsePassState(name: string, source: Source): PassState {
  return {
    type: 'Pass',
    ...commonFields(name, source),
    ...transition(source),
    ...inputOutput(source),
    ...optional('resultPath', readReferencePath(source, 'ResultPath')),
    ...optional('result', field(source, 'Result')),
    ...optional('arguments', readArguments(source)),
    ...optional('assign', readTemplate(source, 'Assign')),
  };
}

export function parseTaskState(name: string, source: Source): TaskState {
  return {
    type: 'Task',
    ...commonFields(name, source),
    ...transition(source),
    ...inputOutput(source),
    ...resultHandling(source),
    ...errorHandling(source),
    resource: readText(source, 'Resource'),
    ...optional('arguments', readArguments(source)),
    ...optional('credentials', readTemplate(source, 'Credentials')),
    ...optional('timeoutSeconds', readNumberField(source, 'TimeoutSeconds')),
    ...optional('heartbeatSeconds', readNumberField(source, 'HeartbeatSeconds')),
    ...optional('assign', readTemplate(source, 'Assign')),
  };
}

export function parseWaitState(name: string, source: Source): WaitState {
  return {
    type: 'Wait',
    ...commonFields(name, source),
    ...transition(source),
    ...inputOutput(source),
    ...optional('seconds', readNumberField(source, 'Seconds')),
    ...optional('timestamp', readTimestampField(source)),
    ...optional('assign', readTemplate(source, 'Assign')),
  };
}

export function parseSucceedState(name: string, source: Source): SucceedState {
  return { type: 'Succeed', ...commonFields(name, source), ...inputOutput(source) };
}

export function parseFailState(name: string, source: Source): FailState {
  return {
    type: 'Fail',
    ...commonFields(name, source),
    ...optional('error', readTextField(source, 'Error')),
    ...optional('failCause', readTextField(source, 'Cause')),
  };
}

/** Arguments and Parameters are each other's counterpart. */
export function readArguments(source: Source) {
  return readTemplate(source, source.queryLanguage === 'JSONata' ? 'Arguments' : 'Parameters');
}
