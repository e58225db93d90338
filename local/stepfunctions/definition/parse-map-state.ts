import type {
  ItemBatcher,
  ItemReader,
  MapState,
  ProcessorConfig,
  ResultWriter,
  StateGraph,
} from './ast.ts';
import { optional } from './optional.ts';
import {
  commonFields,
  errorHandling,
  inputOutput,
  resultHandling,
  transition,
} from './parse-shared-fields.ts';
import { readArguments } from './parse-states.ts';
import {
  problem,
  readNumberField,
  readObject,
  readOptionalText,
  readPath,
  readTemplate,
  readText,
  type Source,
} from './read-fields.ts';

export function parseMapState(
  name: string,
  source: Source,
  parseGraph: (source: Source) => StateGraph,
): MapState {
  const processor = readObject(source, 'ItemProcessor') ?? readObject(source, 'Iterator');
  if (!processor) throw problem(source, 'ItemProcessor', "The field 'ItemProcessor' is required");
  const itemsPath = readPath(source, 'ItemsPath');
  return {
    type: 'Map',
    ...commonFields(name, source),
    ...transition(source),
    ...inputOutput(source),
    ...resultHandling(source),
    ...errorHandling(source),
    itemProcessor: parseGraph(processor),
    processorConfig: parseProcessorConfig(readObject(processor, 'ProcessorConfig')),
    ...optional('itemsPath', itemsPath ?? undefined),
    ...optional('items', readTemplate(source, 'Items')),
    ...optional('itemSelector', readItemSelector(source)),
    ...optional('itemReader', parseItemReader(readObject(source, 'ItemReader'))),
    ...optional('itemBatcher', parseItemBatcher(readObject(source, 'ItemBatcher'))),
    ...optional('resultWriter', parseResultWriter(readObject(source, 'ResultWriter'))),
    ...optional('maxConcurrency', readNumberField(source, 'MaxConcurrency')),
    ...optional('toleratedFailureCount', readNumberField(source, 'ToleratedFailureCount')),
    ...optional(
      'toleratedFailurePercentage',
      readNumberField(source, 'ToleratedFailurePercentage'),
    ),
    ...optional('label', readOptionalText(source, 'Label')),
    ...optional('assign', readTemplate(source, 'Assign')),
  };
}

/** Parameters is the older name of ItemSelector. */
function readItemSelector(source: Source) {
  return readTemplate(source, 'ItemSelector') ?? readTemplate(source, 'Parameters');
}

function parseProcessorConfig(source: Source | undefined): ProcessorConfig {
  if (!source || readOptionalText(source, 'Mode') !== 'DISTRIBUTED') return { mode: 'INLINE' };
  const isExpress = readOptionalText(source, 'ExecutionType') === 'EXPRESS';
  return { mode: 'DISTRIBUTED', executionType: isExpress ? 'EXPRESS' : 'STANDARD' };
}

function parseItemReader(source: Source | undefined): ItemReader | undefined {
  if (!source) return undefined;
  const config = readObject(source, 'ReaderConfig');
  const {
    MaxItems: _maxItems,
    MaxItemsPath: _maxItemsPath,
    ...readerConfig
  } = config?.fields ?? {};
  return {
    resource: readText(source, 'Resource'),
    readerConfig,
    ...optional('arguments', readArguments(source)),
    ...optional('maxItems', config && readNumberField(config, 'MaxItems')),
  };
}

function parseItemBatcher(source: Source | undefined): ItemBatcher | undefined {
  if (!source) return undefined;
  return {
    ...optional('maxItemsPerBatch', readNumberField(source, 'MaxItemsPerBatch')),
    ...optional('maxInputBytesPerBatch', readNumberField(source, 'MaxInputBytesPerBatch')),
    ...optional('batchInput', readTemplate(source, 'BatchInput')),
  };
}

function parseResultWriter(source: Source | undefined): ResultWriter | undefined {
  if (!source) return undefined;
  const config = readObject(source, 'WriterConfig');
  return {
    ...optional('resource', readOptionalText(source, 'Resource')),
    ...optional('arguments', readArguments(source)),
    ...optional('writerConfig', config?.fields),
  };
}
