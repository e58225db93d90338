import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MapState } from '../definition/ast.ts';
import { dataLimitExceeded } from '../execution/data-limit.ts';
import { isTooLarge } from '../execution/json-text.ts';
import type { Json } from '../language/json.ts';
import { itemBatching, itemInput, itemReading, mapItems } from '../language/map-fields.ts';
import type { Scope } from '../language/scope.ts';
import { StatesError } from '../language/states-error.ts';
import type { MapRunRow, PendingChild } from '../store/map-runs.ts';
import type { Store } from '../store/store.ts';
import { batchItems } from './batch-items.ts';
import type { ObjectStore } from './object-store.ts';
import { readItems, type ReadItem } from './read-items.ts';

/** So many inputs in one transaction. */
const CHUNK = 1_000;

/**
 * Reads the items of a Map Run and puts the inputs of its children on disk, before the first child
 * is started: what the items are does not change any more, and a Map Run that is interrupted here
 * simply reads again. Throws StatesError, ItemReaderError or what S3 answered.
 */
export async function spoolInputs(
  store: Store,
  run: MapRunRow,
  state: MapState,
  scope: Scope,
  objects: ObjectStore,
  signal: AbortSignal,
): Promise<void> {
  store.commits.atomically(() => store.mapRuns.clearChildren(run.id));
  const batching = await itemBatching(state, scope);
  const inputs = selectedInputs(state, scope, itemsOf(state, scope, objects));
  let chunk: PendingChild[] = [];
  let position = 0;
  const write = (isLast: boolean): void =>
    store.commits.atomically(() => {
      for (const child of chunk) store.mapRuns.addChild(run.id, child);
      if (isLast) store.mapRuns.setItemsRead(run.arn);
    });
  for await (const { input, itemCount } of batchItems(inputs, batching)) {
    if (isTooLarge(input)) {
      const { error = '', cause = '' } = dataLimitExceeded(state.name);
      throw new StatesError(error, cause);
    }
    chunk.push({ position: position++, itemCount, input });
    if (chunk.length < CHUNK) continue;
    write(false);
    chunk = [];
    await nextTurn();
    if (signal.aborted) return;
  }
  if (!signal.aborted) write(true);
}

async function* itemsOf(
  state: MapState,
  scope: Scope,
  objects: ObjectStore,
): AsyncGenerator<ReadItem> {
  const reading = await itemReading(state, scope);
  if (reading) {
    yield* readItems(reading, objects);
    return;
  }
  for (const value of await mapItems(state, scope)) yield { value, source: 'STATE_DATA' };
}

async function* selectedInputs(
  state: MapState,
  scope: Scope,
  items: AsyncIterable<ReadItem>,
): AsyncGenerator<Json> {
  let index = 0;
  for await (const { value, source } of items) {
    yield await itemInput(state, scope, { index: index++, value, source });
  }
}
