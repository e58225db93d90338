import { isJsonObject, setOwn, type Json, type JsonObject } from '../language/json.ts';
import type { ItemReading } from '../language/map-fields.ts';
import { csvRows } from './csv-rows.ts';
import { ItemReaderError } from './item-reader-error.ts';
import { jsonArrayItems } from './json-array-scanner.ts';
import { jsonLines } from './json-lines.ts';
import type { ListedObject, Listing, ObjectAddress, ObjectStore } from './object-store.ts';

/** An item with the place it was read from, `$$.Map.Item.Source`. */
export type ReadItem = { readonly value: Json; readonly source: string };

const MAX_HEADER_BYTES = 10 * 1024;
const DELIMITERS = { COMMA: ',', PIPE: '|', SEMICOLON: ';', SPACE: ' ', TAB: '\t' };

/**
 * The items of a distributed Map with an ItemReader, one after the other as they are read from S3.
 * Throws ItemReaderError, or what S3 answered.
 * https://docs.aws.amazon.com/step-functions/latest/dg/input-output-itemreader.html
 */
export async function* readItems(
  reading: ItemReading,
  objects: ObjectStore,
): AsyncGenerator<ReadItem> {
  // In AWS's words, as recorded; 0 is no limit.
  if ((reading.maxItems ?? 0) < 0) throw new ItemReaderError('field MaxItems must be positive');
  let left = reading.maxItems || Infinity;
  for await (const item of allItems(reading, objects)) {
    yield item;
    if (--left <= 0) return;
  }
}

function allItems(reading: ItemReading, objects: ObjectStore): AsyncIterable<ReadItem> {
  const parameters = isJsonObject(reading.arguments) ? reading.arguments : {};
  if (!reading.resource.endsWith(':listObjectsV2')) {
    return objectItems(addressOf(parameters), reading.readerConfig, objects);
  }
  return reading.readerConfig['Transformation'] === 'LOAD_AND_FLATTEN'
    ? flattenedItems(listingOf(parameters), reading.readerConfig, objects)
    : listedItems(listingOf(parameters), objects);
}

async function* listedItems(listing: Listing, objects: ObjectStore): AsyncGenerator<ReadItem> {
  const source = `s3://${listing.bucket}`;
  for await (const object of objects.list(listing)) yield { value: listed(object), source };
}

/** An entry of the listing; "Etag" is spelled as in AWS's documentation. */
function listed({ key, etag, lastModifiedSeconds, size, storageClass }: ListedObject): Json {
  return {
    Etag: etag,
    Key: key,
    LastModified: lastModifiedSeconds,
    Size: size,
    StorageClass: storageClass,
  };
}

/** The items of every object of the listing. */
async function* flattenedItems(
  listing: Listing,
  config: JsonObject,
  objects: ObjectStore,
): AsyncGenerator<ReadItem> {
  for await (const { key } of objects.list(listing)) {
    yield* objectItems({ bucket: listing.bucket, key }, config, objects);
  }
}

async function* objectItems(
  address: ObjectAddress,
  config: JsonObject,
  objects: ObjectStore,
): AsyncGenerator<ReadItem> {
  const source = `s3://${address.bucket}/${address.key}`;
  for await (const value of valuesOf(address, config, objects)) yield { value, source };
}

function valuesOf(
  address: ObjectAddress,
  config: JsonObject,
  objects: ObjectStore,
): AsyncIterable<Json> {
  switch (config['InputType'] ?? 'JSON') {
    case 'JSON':
      return jsonArrayItems(objects.read(address), pointerOf(config['ItemsPointer']));
    case 'JSONL':
      return jsonLines(objects.read(address));
    case 'CSV':
      return csvItems(objects.read(address), config);
    case 'MANIFEST':
      return inventoryItems(address, config, objects);
    default:
      throw new ItemReaderError(
        `The InputType ${JSON.stringify(config['InputType'])} cannot be read by this engine: it is JSON, JSONL, CSV or MANIFEST.`,
      );
  }
}

function addressOf(parameters: JsonObject): ObjectAddress {
  const { Bucket, Key, VersionId, ExpectedBucketOwner } = parameters;
  if (typeof Bucket !== 'string' || typeof Key !== 'string') {
    throw new ItemReaderError("The ItemReader needs texts for 'Bucket' and 'Key'.");
  }
  return {
    bucket: Bucket,
    key: Key,
    ...(typeof VersionId === 'string' && { versionId: VersionId }),
    ...(typeof ExpectedBucketOwner === 'string' && { expectedBucketOwner: ExpectedBucketOwner }),
  };
}

function listingOf({ Bucket, Prefix, StartAfter, ExpectedBucketOwner }: JsonObject): Listing {
  if (typeof Bucket !== 'string') {
    throw new ItemReaderError("The ItemReader needs a text for 'Bucket'.");
  }
  return {
    bucket: Bucket,
    ...(typeof Prefix === 'string' && { prefix: Prefix }),
    ...(typeof StartAfter === 'string' && { startAfter: StartAfter }),
    ...(typeof ExpectedBucketOwner === 'string' && { expectedBucketOwner: ExpectedBucketOwner }),
  };
}

/** RFC 6901. */
function pointerOf(pointer: Json | undefined): string[] {
  if (typeof pointer !== 'string' || pointer === '') return [];
  if (!pointer.startsWith('/')) {
    throw new ItemReaderError(`ItemsPointer '${pointer}' must begin with a slash.`);
  }
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

async function* csvItems(chunks: AsyncIterable<string>, config: JsonObject): AsyncGenerator<Json> {
  let headers = givenHeaders(config);
  for await (const row of csvRows(chunks, delimiterOf(config['CSVDelimiter']))) {
    if (headers) yield rowItem(headers, row);
    else headers = checkHeaders(row);
  }
}

function givenHeaders(config: JsonObject): string[] | undefined {
  if (config['CSVHeaderLocation'] !== 'GIVEN') return undefined;
  const headers = config['CSVHeaders'];
  if (!Array.isArray(headers)) {
    throw new ItemReaderError("CSVHeaderLocation GIVEN needs 'CSVHeaders', an array of texts.");
  }
  return checkHeaders(headers.map(String));
}

function checkHeaders(headers: string[]): string[] {
  if (Buffer.byteLength(headers.join(',')) > MAX_HEADER_BYTES) {
    throw new ItemReaderError(`The CSV headers have more than ${MAX_HEADER_BYTES} bytes.`);
  }
  return headers;
}

function delimiterOf(name: Json | undefined): string {
  const [, delimiter = ','] = Object.entries(DELIMITERS).find(([each]) => each === name) ?? [];
  return delimiter;
}

/** All values are texts; a missing one is empty, one too many is left out (recorded from AWS). */
function rowItem(headers: readonly string[], row: readonly string[]): Json {
  const item: JsonObject = {};
  headers.forEach((header, index) => setOwn(item, header, row[index] ?? ''));
  return item;
}

/**
 * The rows of the CSV files that an S3 inventory manifest names.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html
 */
async function* inventoryItems(
  address: ObjectAddress,
  config: JsonObject,
  objects: ObjectStore,
): AsyncGenerator<Json> {
  if (config['ManifestType'] === 'ATHENA_DATA') {
    throw new ItemReaderError('The ManifestType ATHENA_DATA cannot be read by this engine.');
  }
  const manifest = await readManifest(address, objects);
  const { fileSchema, destinationBucket, files } = manifest;
  if (typeof fileSchema !== 'string' || !Array.isArray(files)) {
    throw new ItemReaderError(
      `s3://${address.bucket}/${address.key} is no manifest of a CSV inventory.`,
    );
  }
  const headers = fileSchema.split(',').map((each) => each.trim());
  const bucket =
    typeof destinationBucket === 'string'
      ? destinationBucket.replace(/^arn:[^:]+:s3:::/, '')
      : address.bucket;
  for (const file of files) {
    const key = isJsonObject(file) ? file['key'] : undefined;
    if (typeof key !== 'string') continue;
    for await (const row of csvRows(objects.read({ bucket, key }), ',')) {
      yield rowItem(headers, row);
    }
  }
}

async function readManifest(address: ObjectAddress, objects: ObjectStore): Promise<JsonObject> {
  let text = '';
  for await (const chunk of objects.read(address)) text += chunk;
  const manifest: unknown = JSON.parse(text);
  return isJsonObject(manifest) ? manifest : {};
}
