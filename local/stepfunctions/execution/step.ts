import type { Awaitable, Json } from '../language/json.ts';
import { actOnAttempt } from './task-attempt.ts';
import { toText } from './json-text.ts';
import { executeChoice } from './states/choice.ts';
import { executeFail } from './states/fail.ts';
import { executeDistributedMap, redriveMapRun } from './states/distributed-map.ts';
import { advanceIterations, executeMap } from './states/map.ts';
import { executeParallel } from './states/parallel.ts';
import { executePass } from './states/pass.ts';
import { executeSucceed } from './states/succeed.ts';
import { executeTask } from './states/task.ts';
import { executeWait, exitWait } from './states/wait.ts';
import { finishState } from './finish-state.ts';
import type { Turn } from './turn.ts';
import { openOf, type OpenState, type Thread } from './view.ts';

/** Lets a thread do the next thing it can do; `canAct` (run-turn.ts) says when there is one. */
export function step(turn: Turn, thread: Thread): Awaitable<void> {
  if (thread.at.kind === 'ended') return;
  if (thread.at.kind === 'enter') return enter(turn, thread, thread.at.name, thread.at.input);
  const { open } = thread.at;
  const { phase } = open;
  switch (phase.kind) {
    case 'entered':
    case 'retrying':
      return execute(turn, thread, open);
    case 'waiting':
      if (open.state.type !== 'Wait') throw new Error(`a ${open.state.type} state cannot wait`);
      return exitWait(turn, thread, open.state);
    case 'attempt':
      return actOnAttempt(turn, thread, phase.attempt);
    case 'finished':
      return finishState(turn, thread, phase.result);
    case 'failed':
      return turn.fail(thread, phase.failure);
    case 'map-run':
      return redriveMapRun(turn, thread, phase.run);
    case 'children':
      return advanceIterations(turn, thread, phase.children);
  }
}

function enter(turn: Turn, thread: Thread, name: string, input: Json): Awaitable<void> {
  const state = thread.graph.states.get(name);
  if (!state) throw new Error(`there is no state '${name}' to enter`);
  turn.emit(
    thread,
    { type: `${state.type}StateEntered`, name, input: toText(input) },
    { payload: input },
  );
  return execute(turn, thread, openOf(thread));
}

function execute(turn: Turn, thread: Thread, open: OpenState): Awaitable<void> {
  const { state } = open;
  switch (state.type) {
    case 'Pass':
      return executePass(turn, thread, state);
    case 'Task':
      return executeTask(turn, thread, state);
    case 'Choice':
      return executeChoice(turn, thread, state);
    case 'Wait':
      return executeWait(turn, thread, state);
    case 'Succeed':
      return executeSucceed(turn, thread, state);
    case 'Fail':
      return executeFail(turn, thread, state);
    case 'Parallel':
      return executeParallel(turn, thread, state);
    case 'Map':
      return state.processorConfig.mode === 'DISTRIBUTED'
        ? executeDistributedMap(turn, thread, state)
        : executeMap(turn, thread, state);
  }
}
