import type { MapState } from '../../definition/ast.ts';
import type { Awaitable, Json } from '../../language/json.ts';
import {
  itemInput,
  mapItems,
  maxConcurrency,
  toleratedFailure,
} from '../../language/map-fields.ts';
import type { Scope } from '../../language/scope.ts';
import { completeChildren } from '../end-thread.ts';
import { evaluate } from '../evaluate.ts';
import { scopeOf } from '../scope-of.ts';
import { allEnded } from '../start-children.ts';
import { startFreeIterations } from '../start-free-iterations.ts';
import type { Turn } from '../turn.ts';
import { openOf, type Children, type Thread } from '../view.ts';

/** AWS runs at most 40 iterations of an inline Map at a time, whatever MaxConcurrency says. */
const MAX_INLINE_CONCURRENCY = 40;

type Plan = { values: Json[]; inputs: Json[]; maxConcurrency: number };

export function executeMap(turn: Turn, thread: Thread, state: MapState): Awaitable<void> {
  const scope = scopeOf(turn.view, thread);
  return evaluate(
    turn,
    thread,
    () => planIterations(state, scope),
    (plan) => {
      turn.emit(thread, {
        type: 'MapStateStarted',
        length: plan.inputs.length,
        inputs: plan.inputs,
        ...(state.itemSelector && { values: plan.values }),
        maxConcurrency: plan.maxConcurrency,
      });
      return startIterating(turn, thread, state, scope);
    },
  );
}

/** An inline Map has no tolerated failures, but AWS checks the fields after MapStateStarted. */
function startIterating(
  turn: Turn,
  thread: Thread,
  state: MapState,
  scope: Scope,
): Awaitable<void> {
  return evaluate(
    turn,
    thread,
    () => toleratedFailure(state, scope),
    () => {
      const { phase } = openOf(thread);
      if (phase.kind === 'children') advanceIterations(turn, thread, phase.children);
    },
  );
}

/** Starts what MaxConcurrency allows; completes the state when nothing is left. */
export function advanceIterations(turn: Turn, thread: Thread, children: Children): void {
  if (children.kind === 'iterations') {
    startFreeIterations(turn, thread, children, thread.lastEventId);
  }
  if (allEnded(children)) completeChildren(turn, thread, children);
}

async function selectInputs(state: MapState, scope: Scope, values: Json[]): Promise<Json[]> {
  const inputs: Json[] = [];
  for (const [index, value] of values.entries()) {
    inputs.push(await itemInput(state, scope, { index, value }));
  }
  return inputs;
}

function planIterations(state: MapState, scope: Scope): Awaitable<Plan> {
  const limit = maxConcurrency(state, scope);
  const values = mapItems(state, scope);
  if (!state.itemSelector && !(limit instanceof Promise) && !(values instanceof Promise)) {
    return { values, inputs: values, maxConcurrency: inlineConcurrency(limit) };
  }
  return planLater(state, scope, limit, values);
}

async function planLater(
  state: MapState,
  scope: Scope,
  limit: Awaitable<number>,
  items: Awaitable<Json[]>,
): Promise<Plan> {
  // Both are under way: a failure of the second must not go unheard while the first is awaited.
  const [concurrency, values] = await Promise.all([limit, items]);
  const inputs = state.itemSelector ? await selectInputs(state, scope, values) : values;
  return { values, inputs, maxConcurrency: inlineConcurrency(concurrency) };
}

function inlineConcurrency(limit: number): number {
  return limit === 0 ? MAX_INLINE_CONCURRENCY : Math.min(limit, MAX_INLINE_CONCURRENCY);
}
