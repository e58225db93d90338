import type { MapState } from '../definition/ast.ts';
import { effectiveInput, evaluatePathField } from './effective-input.ts';
import {
  isJsonObject,
  whenReady,
  type Awaitable,
  type Json,
  type JsonObject,
  quoteJson,
} from './json.ts';
import { evaluateAs } from './jsonata-template.ts';
import { evaluateNumber, type NumberRange } from './number-field.ts';
import type { Recorder, Scope } from './scope.ts';
import { queryError, runtimeError } from './states-error.ts';

/** Fields of a Map state: https://docs.aws.amazon.com/step-functions/latest/dg/state-map.html */
const concurrencyRange = nonNegative('MaxConcurrency');
const failureCountRange = nonNegative('ToleratedFailureCount');
const failurePercentageRange: NumberRange = {
  kind: 'float',
  isInRange: (value) => value >= 0 && value <= 100,
  problem: 'ToleratedFailurePercentage must be between 0 and 100.',
};
/** Any integer: what the reader makes of a negative one is its own error, States.ItemReaderFailed. */
const maxItemsRange: NumberRange = { kind: 'integer', isInRange: () => true, problem: '' };
const maxItemsPerBatchRange = positive('MaxItemsPerBatch');
const maxInputBytesPerBatchRange = positive('MaxInputBytesPerBatch');

function nonNegative(field: string): NumberRange {
  return {
    kind: 'integer',
    isInRange: (value) => value >= 0,
    problem: `${field} cannot be negative.`,
  };
}

function positive(field: string): NumberRange {
  return {
    kind: 'integer',
    isInRange: (value) => value > 0,
    problem: `${field} must be positive.`,
  };
}

/** The items of a Map without ItemReader. Throws or rejects with StatesError. */
export function mapItems(state: MapState, scope: Scope, record?: Recorder): Awaitable<Json[]> {
  if (state.queryLanguage === 'JSONata') return jsonataItems(state, scope);
  const input = effectiveInput(state, scope, record);
  const items = state.itemsPath ? evaluatePathField(state.itemsPath, scope, input) : input;
  if (Array.isArray(items)) {
    record?.('afterItemsPath', items);
    return items;
  }
  throw runtimeError(scope, `Reference path "${referenceText(state)}" must point to array.`);
}

/** AWS writes a path into the context object as if it were one into the input. */
function referenceText(state: MapState): string {
  return (state.itemsPath?.path.text ?? '$').replace(/^\$\$/, '$');
}

function jsonataItems(state: MapState, scope: Scope): Awaitable<Json[]> {
  if (state.items) {
    return evaluateAs(state.items, scope, 'Items', 'array', (value): value is Json[] =>
      Array.isArray(value),
    );
  }
  if (Array.isArray(scope.input)) return scope.input;
  throw queryError(
    scope,
    undefined,
    `Map state input must be an array but was: ${quoteJson(scope.input)}`,
  );
}

/**
 * One item of a Map: `key` where the items come from an object or a listing with keys; `source` in a
 * distributed Map, `STATE_DATA` or where in S3 it was read.
 */
export type MapItem = {
  readonly index: number;
  readonly value: Json;
  readonly key?: string;
  readonly source?: string;
};

/** The input of one iteration: ItemSelector with `$$.Map.Item` set, or the item itself. */
export function itemInput(
  state: MapState,
  scope: Scope,
  item: MapItem,
  record?: Recorder,
): Awaitable<Json> {
  if (!state.itemSelector) return item.value;
  const context = withItem(scope.context(), item);
  const itemScope = { ...scope, context: () => context };
  const selected = state.itemSelector.evaluate(itemScope, effectiveInput(state, scope));
  if (!record) return selected;
  return whenReady(selected, (value) => {
    record('afterItemSelector', value);
    return value;
  });
}

/** The context object as an iteration sees it. */
export function withItem(context: JsonObject, item: MapItem): JsonObject {
  const { index, value, key, source } = item;
  return {
    ...context,
    Map: {
      Item: {
        Index: index,
        Value: value,
        ...(key === undefined ? {} : { Key: key }),
        ...(source === undefined ? {} : { Source: source }),
      },
    },
  };
}

/** 0 (also when absent) is no limit but AWS's own: 40 inline, 10,000 distributed. */
export function maxConcurrency(state: MapState, scope: Scope): Awaitable<number> {
  if (!state.maxConcurrency) return 0;
  return evaluateNumber(
    state.maxConcurrency,
    concurrencyRange,
    scope,
    effectiveInput(state, scope),
  );
}

/** Both absent: no item may fail. Both given: either trips. */
export type ToleratedFailure = { readonly count?: number; readonly percentage?: number };

export function toleratedFailure(state: MapState, scope: Scope): Awaitable<ToleratedFailure> {
  const { toleratedFailureCount, toleratedFailurePercentage } = state;
  if (!toleratedFailureCount && !toleratedFailurePercentage) return {};
  const input = effectiveInput(state, scope);
  const count =
    toleratedFailureCount && evaluateNumber(toleratedFailureCount, failureCountRange, scope, input);
  return whenReady(count, (countValue) =>
    whenReady(
      toleratedFailurePercentage &&
        evaluateNumber(toleratedFailurePercentage, failurePercentageRange, scope, input),
      (percentage) => ({
        ...(countValue === undefined ? {} : { count: countValue }),
        ...(percentage === undefined ? {} : { percentage }),
      }),
    ),
  );
}

/** What to read the items of a distributed Map from; `readerConfig` is as written, without MaxItems. */
export type ItemReading = {
  readonly resource: string;
  readonly arguments: Json;
  readonly readerConfig: JsonObject;
  readonly maxItems?: number;
};

/** Undefined for a Map without ItemReader. */
export function itemReading(state: MapState, scope: Scope): Awaitable<ItemReading | undefined> {
  const reader = state.itemReader;
  if (!reader) return undefined;
  const input = effectiveInput(state, scope);
  return whenReady(reader.arguments?.evaluate(scope, input) ?? {}, (value) =>
    whenReady(
      reader.maxItems && evaluateNumber(reader.maxItems, maxItemsRange, scope, input),
      (maxItems) => ({
        resource: reader.resource,
        arguments: value,
        readerConfig: reader.readerConfig,
        ...(maxItems === undefined ? {} : { maxItems }),
      }),
    ),
  );
}

/** How items are put together into one child execution's input, `{BatchInput?, Items}`. */
export type ItemBatching = {
  readonly maxItemsPerBatch?: number;
  readonly maxInputBytesPerBatch?: number;
  readonly batchInput?: Json;
};

/** Undefined for a Map without ItemBatcher. */
export async function itemBatching(
  state: MapState,
  scope: Scope,
): Promise<ItemBatching | undefined> {
  const batcher = state.itemBatcher;
  if (!batcher) return undefined;
  const input = effectiveInput(state, scope);
  const { maxItemsPerBatch, maxInputBytesPerBatch, batchInput } = batcher;
  return {
    ...(maxItemsPerBatch && {
      maxItemsPerBatch: await evaluateNumber(maxItemsPerBatch, maxItemsPerBatchRange, scope, input),
    }),
    ...(maxInputBytesPerBatch && {
      maxInputBytesPerBatch: await evaluateNumber(
        maxInputBytesPerBatch,
        maxInputBytesPerBatchRange,
        scope,
        input,
      ),
    }),
    ...(batchInput && { batchInput: await batchInput.evaluate(scope, input) }),
  };
}

export type ResultWriting = {
  readonly resource?: string;
  readonly arguments: JsonObject;
  readonly writerConfig?: JsonObject;
};

/** Undefined for a Map without ResultWriter. */
export function resultWriting(state: MapState, scope: Scope): Awaitable<ResultWriting | undefined> {
  const writer = state.resultWriter;
  if (!writer) return undefined;
  const input = effectiveInput(state, scope);
  return whenReady(writer.arguments?.evaluate(scope, input) ?? {}, (value) => ({
    arguments: isJsonObject(value) ? value : {},
    ...(writer.resource === undefined ? {} : { resource: writer.resource }),
    ...(writer.writerConfig === undefined ? {} : { writerConfig: writer.writerConfig }),
  }));
}
