import type { Json } from '../language/json.ts';
import { parseText } from './json-text.ts';
import type { Failure, LogRecord } from './record.ts';
import { resetForRedrive } from './reset-for-redrive.ts';
import {
  collectOutputs,
  startBranches,
  startIteration,
  startIterations,
} from './start-children.ts';
import {
  findThread,
  openOf,
  type Attempt,
  type ExecutionView,
  type MapRun,
  type OpenState,
  type Phase,
  type Thread,
} from './view.ts';

/**
 * Takes one record into the view. The view is never changed in any other way, so folding the log
 * gives the view that the running engine has.
 *
 * `thread` and `payload` (the parsed input or output of the record) save the running engine a look
 * up and a parse; when folding they are found from the record.
 */
export function apply(
  view: ExecutionView,
  record: LogRecord,
  thread: Thread = findOpenThread(view, record),
  payload?: Json,
): void {
  if (record.id > 0) view.lastEventId = record.id;
  thread.lastEventId = nextInChain(record, thread.lastEventId);
  const parsed = (text: string): Json => (payload === undefined ? parseText(text) : payload);

  switch (record.type) {
    case 'ExecutionStarted':
      view.startedAt = record.at;
      view.inputText = record.input;
      view.input = parsed(record.input);
      view.root.at = { kind: 'enter', name: view.machine.startAt, input: view.input };
      // AWS: the first state's previous event is 0, not the ExecutionStarted.
      thread.lastEventId = 0;
      return;
    case 'ExecutionSucceeded':
      view.outputText = record.output;
      return close(view, 'SUCCEEDED', record);
    case 'ExecutionFailed':
      view.failure = failureOf(record);
      return close(view, 'FAILED', record);
    case 'ExecutionAborted':
      view.failure = failureOf(record);
      return close(view, 'ABORTED', record);
    case 'ExecutionTimedOut':
      view.failure = failureOf(record);
      return close(view, 'TIMED_OUT', record);
    case 'ExecutionRedriven':
      return resetForRedrive(view, record);

    case 'PassStateEntered':
    case 'TaskStateEntered':
    case 'ChoiceStateEntered':
    case 'WaitStateEntered':
    case 'SucceedStateEntered':
    case 'FailStateEntered':
    case 'ParallelStateEntered':
    case 'MapStateEntered':
      thread.at = { kind: 'inside', open: openState(thread, record, parsed(record.input)) };
      return;
    case 'PassStateExited':
    case 'TaskStateExited':
    case 'ChoiceStateExited':
    case 'WaitStateExited':
    case 'SucceedStateExited':
    case 'FailStateExited':
    case 'ParallelStateExited':
    case 'MapStateExited':
      exitState(thread, record, parsed(record.output));
      return;

    case 'TaskScheduled':
    case 'LambdaFunctionScheduled':
    case 'ActivityScheduled':
      setPhase(thread, { kind: 'attempt', attempt: scheduledAttempt(record, payload) });
      return;
    case 'TaskStarted':
    case 'LambdaFunctionStarted':
    case 'ActivityStarted': {
      const attempt = openAttempt(thread);
      attempt.stage = 'started';
      attempt.startedAt = record.at;
      attempt.heartbeatAt = record.at;
      return;
    }
    case 'TaskSubmitted': {
      const attempt = openAttempt(thread);
      attempt.stage = 'submitted';
      attempt.submitted = parsed(record.output);
      return;
    }
    case 'Heartbeat':
      openAttempt(thread).heartbeatAt = record.at;
      return;
    case 'TaskSucceeded':
    case 'LambdaFunctionSucceeded':
    case 'ActivitySucceeded':
      setPhase(thread, { kind: 'finished', result: parsed(record.output) });
      return;
    case 'TaskFailed':
    case 'LambdaFunctionFailed':
    case 'ActivityFailed':
    case 'TaskTimedOut':
    case 'LambdaFunctionTimedOut':
    case 'ActivityTimedOut':
    case 'EvaluationFailed':
    case 'MapRunFailed':
    case 'ParallelStateFailed':
    case 'MapStateFailed':
      failState(thread, record);
      return;
    case 'RetryScheduled': {
      const open = openOf(thread);
      open.retriesUsed[record.retrier] = (open.retriesUsed[record.retrier] ?? 0) + 1;
      open.retryCount += 1;
      open.phase = { kind: 'retrying', dueAt: record.dueAt };
      return;
    }

    case 'WaitStarted':
      setPhase(thread, { kind: 'waiting', until: record.until });
      return;
    case 'ParallelStateStarted':
      setPhase(thread, {
        kind: 'children',
        children: startBranches(view, thread, openOf(thread), parsed(record.input)),
      });
      return;
    case 'MapStateStarted':
      if (record.inputs) {
        setPhase(thread, { kind: 'children', children: startIterations(record) });
      }
      return;
    case 'MapRunStarted':
    case 'MapRunRedriven':
      setPhase(thread, { kind: 'map-run', run: mapRunOf(record), isRedriving: false });
      return;
    case 'MapRunSucceeded':
      finishMapRun(openOf(thread), parsed(record.output));
      return;
    case 'MapIterationStarted':
      startIteration(view, thread, openOf(thread), record);
      return;
    case 'ParallelStateSucceeded':
    case 'MapStateSucceeded':
      finishChildren(openOf(thread));
      thread.lastEventId = previousOfExit(openOf(thread), record);
      return;
    case 'MapIterationSucceeded':
    case 'MapIterationFailed':
    case 'MapIterationAborted':
    case 'TaskStateAborted':
    case 'WaitStateAborted':
    case 'ParallelStateAborted':
    case 'MapStateAborted':
    case 'MapRunAborted':
      return;
  }
}

/**
 * Which event the thread's next one will name as previous. As recorded from AWS: mostly the one
 * before it; but events about iterations and abortions stand aside, and after a …StateSucceeded or
 * before a retry it is the last event of the branch that ended.
 */
function nextInChain(record: LogRecord, present: number): number {
  switch (record.type) {
    case 'MapIterationStarted':
    case 'MapIterationFailed':
    case 'MapIterationAborted':
    case 'TaskStateAborted':
    case 'WaitStateAborted':
    case 'ParallelStateAborted':
    case 'MapStateAborted':
    case 'MapRunAborted':
    case 'WaitStarted':
    case 'Heartbeat':
      return present;
    case 'MapStateSucceeded':
    case 'ParallelStateSucceeded':
    case 'RetryScheduled':
      return record.prev;
    default:
      return record.id;
  }
}

function findOpenThread(view: ExecutionView, record: LogRecord): Thread {
  const thread = record.thread === 0 ? view.root : findThread(view, record.thread);
  if (!thread) {
    throw new Error(
      `log of ${view.identity.arn}: ${record.type} #${record.id} of thread ${record.thread}, which is not open`,
    );
  }
  return thread;
}

function close(view: ExecutionView, status: ExecutionView['status'], record: LogRecord): void {
  view.status = status;
  view.stoppedAt = record.at;
}

function openState(
  thread: Thread,
  record: Extract<LogRecord, { name: string; input: string }>,
  input: Json,
): OpenState {
  const state = thread.graph.states.get(record.name);
  if (!state) throw new Error(`the definition has no state '${record.name}'`);
  return {
    state,
    enteredEventId: record.id,
    previousEventId: record.prev,
    enteredAt: record.at,
    input,
    retriesUsed: [],
    retryCount: 0,
    phase: { kind: 'entered' },
  };
}

function exitState(
  thread: Thread,
  record: Extract<LogRecord, { name: string; output: string }>,
  output: Json,
): void {
  if (record.assigned) thread.variables = { ...thread.variables, ...record.assigned };
  thread.at =
    record.next === undefined
      ? { kind: 'ended', output }
      : { kind: 'enter', name: record.next, input: output };
}

function scheduledAttempt(
  record: Extract<
    LogRecord,
    { type: 'TaskScheduled' | 'LambdaFunctionScheduled' | 'ActivityScheduled' }
  >,
  payload: Json | undefined,
): Attempt {
  const text = record.type === 'TaskScheduled' ? record.parameters : record.input;
  return {
    id: record.id,
    family:
      record.type === 'TaskScheduled'
        ? 'Task'
        : record.type === 'ActivityScheduled'
          ? 'Activity'
          : 'LambdaFunction',
    resource: record.resource,
    resourceType: record.type === 'TaskScheduled' ? record.resourceType : '',
    arguments: payload === undefined ? parseText(text) : payload,
    ...('token' in record && record.token !== undefined && { token: record.token }),
    ...('credentials' in record &&
      record.credentials !== undefined && { credentials: parseText(record.credentials) }),
    ...(record.timeoutSeconds !== undefined && { timeoutSeconds: record.timeoutSeconds }),
    ...(record.heartbeatSeconds !== undefined && { heartbeatSeconds: record.heartbeatSeconds }),
    stage: 'scheduled',
    startedAt: record.at,
    heartbeatAt: record.at,
  };
}

function finishChildren(open: OpenState): void {
  if (open.phase.kind !== 'children') return;
  const { children } = open.phase;
  open.phase = { kind: 'finished', result: collectOutputs(children), children };
}

function mapRunOf(
  record: Extract<LogRecord, { type: 'MapRunStarted' | 'MapRunRedriven' }>,
): MapRun {
  return {
    arn: record.mapRunArn,
    startedEventId: record.id,
    redriveCount: record.type === 'MapRunRedriven' ? record.redriveCount : 0,
  };
}

function finishMapRun(open: OpenState, result: Json): void {
  if (open.phase.kind === 'map-run') {
    open.phase = { kind: 'finished', result, run: open.phase.run };
  }
}

/** As recorded from AWS: a distributed Map's exit names its MapRunStarted as previous. */
function previousOfExit({ phase }: OpenState, record: LogRecord): number {
  return 'run' in phase && phase.run ? phase.run.startedEventId : record.prev;
}

function failState(thread: Thread, record: Failure): void {
  const open = openOf(thread);
  // Kept for a redrive, which resumes the branches that did not end.
  const children = 'children' in open.phase ? open.phase.children : undefined;
  const run = 'run' in open.phase ? open.phase.run : undefined;
  open.phase = {
    kind: 'failed',
    failure: failureOf(record),
    ...(children && { children }),
    ...(run && { run }),
  };
}

function failureOf({ error, cause, alias }: Failure): Failure {
  return {
    ...(error !== undefined && { error }),
    ...(cause !== undefined && { cause }),
    ...(alias !== undefined && { alias }),
  };
}

function openAttempt(thread: Thread): Attempt {
  const { phase } = openOf(thread);
  if (phase.kind !== 'attempt') throw new Error(`thread ${thread.id} has no attempt`);
  return phase.attempt;
}

function setPhase(thread: Thread, phase: Phase): void {
  openOf(thread).phase = phase;
}
