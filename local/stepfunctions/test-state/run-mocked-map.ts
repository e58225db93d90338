import type { MapState } from '../definition/ast.ts';
import { effectiveInput } from '../language/effective-input.ts';
import { finishWithResult, type Finished } from '../language/finish-state.ts';
import type { Json } from '../language/json.ts';
import {
  itemBatching,
  itemInput,
  itemReading,
  mapItems,
  maxConcurrency,
  toleratedFailure,
  type ItemBatching,
} from '../language/map-fields.ts';
import { parseJson } from '../language/parse-json.ts';
import type { Run } from './run-tested-state.ts';
import { StateFailure } from './state-failure.ts';
import { invalidRequest } from './test-state-problem.ts';

/**
 * Runs a Map with its iterations mocked: its own fields are evaluated, the mock is the list of outputs or the
 * error, and `mapIterationFailureCount` is held against the tolerated failures.
 */
export async function runMockedMap(state: MapState, run: Run): Promise<Finished> {
  const { scope, inspection, configuration, mocked } = run;
  const items = await itemsOf(state, run);
  await showItems(state, run, items);
  inspection.showNumber('maxConcurrency', await maxConcurrency(state, scope));
  const tolerated = await toleratedFailure(state, scope);
  if (tolerated.count !== undefined) {
    inspection.showNumber('toleratedFailureCount', tolerated.count);
  }
  if (tolerated.percentage !== undefined) {
    inspection.showNumber('toleratedFailurePercentage', tolerated.percentage);
  }
  const failures = configuration.mapIterationFailureCount ?? 0;
  if (failures > items.length) {
    throw invalidRequest(
      'Map iteration failure count must be less than or equal to the number of Map iterations',
    );
  }
  if (!mocked || !('result' in mocked)) throw new StateFailure(mocked?.error, mocked?.cause);
  const isExceeded =
    failures > (tolerated.count ?? Infinity) ||
    (failures / items.length) * 100 > (tolerated.percentage ?? Infinity);
  if (isExceeded) {
    throw new StateFailure(
      'States.ExceedToleratedFailureThreshold',
      'The specified tolerated failure threshold was exceeded',
    );
  }
  return finishWithResult(state, scope, mocked.result, inspection.recorder);
}

async function itemsOf(state: MapState, run: Run): Promise<Json[]> {
  const { scope, inspection, configuration } = run;
  if (!state.itemReader) return mapItems(state, scope, inspection.recorder);
  if (state.queryLanguage === 'JSONPath') effectiveInput(state, scope, inspection.recorder);
  await itemReading(state, scope);
  return parseReaderData(configuration.mapItemReaderData);
}

function parseReaderData(text: string | undefined): Json[] {
  if (text === undefined) {
    throw invalidRequest(
      'mapItemReaderData must be specified when testing a Map state with an ItemReader',
    );
  }
  let items: Json;
  try {
    items = parseJson(text);
  } catch {
    throw invalidRequest('mapItemReaderData must be valid JSON');
  }
  if (!Array.isArray(items)) throw invalidRequest('mapItemReaderData must be a JSON array');
  return items;
}

async function showItems(state: MapState, run: Run, items: Json[]): Promise<void> {
  const { scope, inspection } = run;
  if (!state.itemSelector && !state.itemBatcher) return;
  const inputs: Json[] = [];
  for (const [index, value] of items.entries()) {
    inputs.push(await itemInput(state, scope, { index, value }));
  }
  if (state.itemSelector) inspection.show('afterItemSelector', inputs);
  const batching = await itemBatching(state, scope);
  if (batching) inspection.show('afterItemBatcher', batches(inputs, batching));
}

function batches(inputs: Json[], batching: ItemBatching): Json[] {
  const result: Json[] = [];
  let current: Json[] = [];
  const close = (): void => {
    if (current.length === 0) return;
    const { batchInput } = batching;
    result.push({
      ...(batchInput === undefined ? {} : { BatchInput: batchInput }),
      Items: current,
    });
    current = [];
  };
  for (const input of inputs) {
    const isFull =
      current.length >= (batching.maxItemsPerBatch ?? Infinity) ||
      bytesOf([...current, input]) > (batching.maxInputBytesPerBatch ?? Infinity);
    if (isFull) close();
    current.push(input);
  }
  close();
  return result;
}

function bytesOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}
