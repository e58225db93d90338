import type { MapState } from '../../definition/ast.ts';
import { whenReady, type Awaitable } from '../../language/json.ts';
import { mapItems, maxConcurrency, toleratedFailure } from '../../language/map-fields.ts';
import type { Scope } from '../../language/scope.ts';
import { evaluate } from '../evaluate.ts';
import { labelOf, mapRunArn } from '../map-run-arn.ts';
import { scopeOf } from '../scope-of.ts';
import type { Turn } from '../turn.ts';
import type { MapRun, Thread } from '../view.ts';

/**
 * Starts the Map Run of a distributed Map. Everything else (reading the items, running the
 * children, writing the results) is the work of map-run/, which reports its end by a command.
 * https://docs.aws.amazon.com/step-functions/latest/dg/state-map-distributed.html
 */
export function executeDistributedMap(
  turn: Turn,
  thread: Thread,
  state: MapState,
): Awaitable<void> {
  const scope = scopeOf(turn.view, thread);
  return evaluate(
    turn,
    thread,
    () =>
      whenReady(maxConcurrency(state, scope), (limit) =>
        whenReady(numberOfItems(state, scope), (length) => ({ limit, length })),
      ),
    ({ limit, length }) => {
      turn.emit(thread, { type: 'MapStateStarted', length });
      return startMapRun(turn, thread, state, scope, limit);
    },
  );
}

/** 0 where the items are still to be read, as recorded from AWS. */
function numberOfItems(state: MapState, scope: Scope): Awaitable<number> {
  if (state.itemReader) return 0;
  return whenReady(mapItems(state, scope), (items) => items.length);
}

function startMapRun(
  turn: Turn,
  thread: Thread,
  state: MapState,
  scope: Scope,
  limit: number,
): Awaitable<void> {
  const { machineArn } = turn.view.identity;
  return evaluate(
    turn,
    thread,
    () => toleratedFailure(state, scope),
    ({ count, percentage }) => {
      turn.emit(thread, {
        type: 'MapRunStarted',
        mapRunArn: mapRunArn(machineArn, labelOf(state, machineArn), turn.nonce()),
        express:
          state.processorConfig.mode === 'DISTRIBUTED' &&
          state.processorConfig.executionType === 'EXPRESS',
        maxConcurrency: limit,
        ...(count !== undefined && { toleratedFailureCount: count }),
        ...(percentage !== undefined && { toleratedFailurePercentage: percentage }),
      });
    },
  );
}

/** The execution was redriven: so is the Map Run that it was in. */
export function redriveMapRun(turn: Turn, thread: Thread, run: MapRun): void {
  turn.emit(thread, {
    type: 'MapRunRedriven',
    mapRunArn: run.arn,
    redriveCount: run.redriveCount + 1,
  });
}
