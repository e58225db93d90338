import { getOwn, isJsonObject, type JsonObject } from '../language/json.ts';
import { checkLanguage } from './check-language.ts';
import { objectTemplate, template } from './check-template.ts';
import { anything, integer, oneOf, orExpression, singlePath, text } from './checks.ts';
import {
  at,
  checkExclusive,
  checkFieldNames,
  checkFields,
  expectObject,
  report,
  type Check,
  type Place,
} from './place.ts';

/** https://docs.aws.amazon.com/step-functions/latest/dg/input-output-itemreader.html and the pages beside it. */
const maxItems = 100_000_000;
const maxBatchBytes = 262_144;

const readerConfigFields: Record<string, Check> = {
  InputType: oneOf(['CSV', 'JSON', 'JSONL', 'PARQUET', 'MANIFEST']),
  Transformation: oneOf(['NONE', 'LOAD_AND_FLATTEN']),
  ManifestType: oneOf(['ATHENA_DATA', 'S3_INVENTORY']),
  CSVHeaderLocation: oneOf(['FIRST_ROW', 'GIVEN']),
  CSVHeaders: anything,
  CSVDelimiter: oneOf(['COMMA', 'PIPE', 'SEMICOLON', 'SPACE', 'TAB']),
  ItemsPointer: text,
  MaxItems: orExpression(integer(0, maxItems)),
  MaxItemsPath: singlePath,
};

const itemReaderFields: Record<string, Check> = {
  Comment: text,
  Resource: readerResource,
  Parameters: objectTemplate(),
  Arguments: objectTemplate(),
  ReaderConfig: (value, place) => {
    checkObject(value, place, readerConfigFields, []);
    if (isJsonObject(value)) checkExclusive(value, ['MaxItems', 'MaxItemsPath'], place);
  },
};

const itemBatcherFields: Record<string, Check> = {
  MaxItemsPerBatch: orExpression(integer(1, maxItems)),
  MaxItemsPerBatchPath: singlePath,
  MaxInputBytesPerBatch: orExpression(integer(1, maxBatchBytes)),
  MaxInputBytesPerBatchPath: singlePath,
  BatchInput: template(),
};

const resultWriterFields: Record<string, Check> = {
  Resource: (value, place) => {
    if (typeof value !== 'string' || !/^arn:[^:]+:states:::s3:putObject$/.test(value)) {
      report(place, 'Value is not a valid resource ARN');
    }
  },
  Parameters: objectTemplate(),
  Arguments: objectTemplate(),
  WriterConfig: (value, place) => {
    checkObject(
      value,
      place,
      {
        Transformation: oneOf(['NONE', 'COMPACT', 'FLATTEN']),
        OutputType: oneOf(['JSON', 'JSONL']),
      },
      [],
    );
  },
};

export const itemReader: Check = (value, place) => {
  checkObject(value, place, itemReaderFields, ['Resource']);
};

export const itemBatcher: Check = (value, place) => {
  checkObject(value, place, itemBatcherFields, []);
  if (!isJsonObject(value)) return;
  checkExclusive(value, ['MaxItemsPerBatch', 'MaxItemsPerBatchPath'], place);
  checkExclusive(value, ['MaxInputBytesPerBatch', 'MaxInputBytesPerBatchPath'], place);
  const sizes = Object.keys(value).filter((name) => name.startsWith('Max'));
  if (sizes.length === 0) {
    report(place, "One of 'MaxItemsPerBatch' and 'MaxInputBytesPerBatch' is required");
  }
};

export const resultWriter: Check = (value, place) => {
  checkObject(value, place, resultWriterFields, []);
};

function readerResource(value: unknown, place: Place): void {
  const isReader =
    typeof value === 'string' && /^arn:[^:]+:states:::s3:(getObject|listObjectsV2)$/.test(value);
  if (!isReader) report(place, 'Value is not a valid resource ARN');
}

function checkObject(
  value: Parameters<Check>[0],
  place: Place,
  checks: Record<string, Check>,
  required: string[],
): void {
  const fields = expectObject(value, place);
  if (!fields) return;
  checkFieldNames(fields, checks, required, place);
  checkLanguage(fields, place);
  checkFields(fields, checks, place);
}

/** The processor's Mode, and the fields that only a distributed Map has. */
export function checkProcessor(state: JsonObject, place: Place): void {
  checkExclusive(state, ['ItemProcessor', 'Iterator'], place);
  checkExclusive(state, ['ItemSelector', 'Parameters'], place);
  const processor = getOwn(state, 'ItemProcessor') ?? getOwn(state, 'Iterator');
  const config = isJsonObject(processor) ? getOwn(processor, 'ProcessorConfig') : undefined;
  const isDistributed = isJsonObject(config) && config['Mode'] === 'DISTRIBUTED';
  if (isDistributed && place.machineType === 'EXPRESS') {
    report(
      at(place, 'ItemProcessor'),
      "Express state machine does not support Map state in 'DISTRIBUTED' mode",
    );
  }
  if (isDistributed) return;
  for (const name of distributedOnly) {
    if (Object.hasOwn(state, name)) {
      report(at(place, name), `Field '${name}' is only supported in 'DISTRIBUTED' mode`);
    }
  }
}

const distributedOnly = ['ItemReader', 'ItemBatcher', 'ResultWriter', 'Label'];

export const processorConfig: Check = (value, place) => {
  checkObject(
    value,
    place,
    {
      Mode: oneOf(['INLINE', 'DISTRIBUTED']),
      ExecutionType: oneOf(['STANDARD', 'EXPRESS']),
    },
    [],
  );
  if (
    isJsonObject(value) &&
    value['Mode'] === 'DISTRIBUTED' &&
    value['ExecutionType'] === undefined
  ) {
    report(place, 'These fields are required: [ExecutionType]');
  }
};

/** Label: part of the child executions' names. */
export const label: Check = (value, place) => {
  const isLabel =
    typeof value === 'string' && /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,40}$/u.test(value);
  if (!isLabel) {
    report(
      place,
      'A label has up to 40 characters, without white space, brackets, wildcards and special characters',
      'INVALID_LABEL_NAME',
    );
  }
};
