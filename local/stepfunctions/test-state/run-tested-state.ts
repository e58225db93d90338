import type { ParallelState, PassState, State, TaskState } from '../definition/ast.ts';
import { chooseNext } from '../language/choose-next.ts';
import { effectiveInput } from '../language/effective-input.ts';
import { failOutput } from '../language/fail-output.ts';
import {
  finishPass,
  finishWithoutResult,
  finishWithResult,
  type Finished,
} from '../language/finish-state.ts';
import type { Json } from '../language/json.ts';
import type { Recorder, Scope } from '../language/scope.ts';
import {
  evaluateArguments,
  evaluateCredentials,
  evaluateTimeoutSeconds,
} from '../language/state-arguments.ts';
import { waitDeadlineMs } from '../language/wait-deadline.ts';
import type { MockedOutcome } from './check-request.ts';
import type { Inspection } from './inspection.ts';
import { runMockedMap } from './run-mocked-map.ts';
import { StateFailure } from './state-failure.ts';
import type { RunTask, StateConfiguration } from './test-state-request.ts';

/** What a state is run with. */
export type Run = {
  readonly scope: Scope;
  readonly inspection: Inspection;
  readonly mocked: MockedOutcome | undefined;
  readonly configuration: StateConfiguration;
  readonly runTask: RunTask;
  readonly nowMs: number;
};

export type Succeeded = Finished & { readonly next?: string };

/** Runs one state. Rejects with StateFailure or StatesError. */
export async function runTestedState(state: State, run: Run): Promise<Succeeded> {
  const { scope, inspection } = run;
  const record = inspection.recorder;
  switch (state.type) {
    case 'Pass':
      return after(state, await runPass(state, scope, inspection));
    case 'Wait':
      await waitDeadlineMs(state, scope, run.nowMs);
      return after(state, await finishWithoutResult(state, scope, record));
    case 'Succeed':
      return finishWithoutResult(state, scope, record);
    case 'Fail': {
      if (state.queryLanguage === 'JSONPath')
        record('afterInputPath', effectiveInput(state, scope));
      const { error, cause } = await failOutput(state, scope);
      throw new StateFailure(error, cause);
    }
    case 'Choice':
      return chooseNext(state, scope, record);
    case 'Task':
      return after(state, await runTask(state, run));
    case 'Map':
      return after(state, await runMockedMap(state, run));
    case 'Parallel':
      return after(state, await runMockedParallel(state, run));
  }
}

function after(state: { readonly next?: string }, finished: Finished): Succeeded {
  return state.next === undefined ? finished : { ...finished, next: state.next };
}

/** A Pass with a Result shows that, and not the steps before it. */
async function runPass(state: PassState, scope: Scope, inspection: Inspection): Promise<Finished> {
  if (state.queryLanguage === 'JSONata') return finishPass(state, scope);
  const { result } = state;
  if (result === undefined) {
    const finished = await finishPass(state, scope, (step, value) => {
      inspection.recorder(step, value);
      if (step === 'afterParameters') inspection.recorder('afterResultSelector', value);
    });
    return finished;
  }
  inspection.show('result', result);
  inspection.recorder('afterResultSelector', result);
  return finishPass(state, scope, onlyAfterResult(inspection.recorder));
}

async function runTask(state: TaskState, run: Run): Promise<Finished> {
  const { scope, inspection } = run;
  const taskArguments = await evaluateArguments(state, scope, inspection.recorder);
  const outcome = run.mocked ?? (await callTask(state, run, taskArguments));
  if (!('result' in outcome)) throw new StateFailure(outcome.error, outcome.cause);
  inspection.show('result', outcome.result);
  return finishWithResult(state, scope, outcome.result, inspection.recorder);
}

async function callTask(state: TaskState, run: Run, taskArguments: Json) {
  const { scope } = run;
  const credentials = await evaluateCredentials(state, scope);
  const timeoutSeconds = await evaluateTimeoutSeconds(state, scope);
  return run.runTask({
    resource: state.resource,
    arguments: taskArguments,
    context: scope.context(),
    ...(credentials === undefined ? {} : { credentials }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  });
}

/** Branches are not run: the mock is the list of their outputs. */
async function runMockedParallel(state: ParallelState, run: Run): Promise<Finished> {
  const { scope, mocked, inspection } = run;
  await evaluateArguments(state, scope);
  if (!mocked || !('result' in mocked)) throw new StateFailure(mocked?.error, mocked?.cause);
  return finishWithResult(state, scope, mocked.result, inspection.recorder);
}

function onlyAfterResult(record: Recorder): Recorder {
  return (step, value) => {
    if (step === 'afterResultPath') record(step, value);
  };
}
