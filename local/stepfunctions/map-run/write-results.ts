import { isJsonObject, type Json, type JsonObject } from '../language/json.ts';
import type { ResultWriting } from '../language/map-fields.ts';
import type { ObjectStore } from './object-store.ts';

/** A child as the result files describe it; `metadata` is everything but `output`'s bare value. */
export type ChildResult = {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'PENDING';
  readonly metadata: JsonObject;
  /** JSON text; of a child that succeeded. */
  readonly output?: string;
};

/** A result file is closed when it is as large as this, so that few bytes are held (AWS: 5 GB). */
const MAX_FILE_CHARACTERS = 16 * 1024 * 1024;

/** Where files go: `Prefix/` and the Map Run's id. */
type Destination = { readonly bucket: string; readonly folder: string };

type WrittenFile = { readonly Key: string; readonly Size: number };

/**
 * Writes SUCCEEDED_n, FAILED_n and PENDING_n and the manifest that lists them; answers with what
 * the Map state's result is then. Writing again replaces the same keys.
 * https://docs.aws.amazon.com/step-functions/latest/dg/input-output-resultwriter.html
 */
export async function writeResults(
  writing: ResultWriting,
  mapRunArn: string,
  children: Iterable<ChildResult>,
  objects: ObjectStore,
): Promise<{ output: Json; written: number }> {
  const { bucket, folder } = destinationOf(writing.arguments, mapRunArn);
  const files: Record<ChildResult['status'], WrittenFile[]> = {
    FAILED: [],
    PENDING: [],
    SUCCEEDED: [],
  };
  const open = new Map<ChildResult['status'], { texts: string[]; characters: number }>();
  const isLines = writing.writerConfig?.['OutputType'] === 'JSONL';

  const close = async (status: ChildResult['status']): Promise<void> => {
    const { texts } = open.get(status) ?? { texts: [] };
    if (texts.length === 0) return;
    open.delete(status);
    const body = isLines ? `${texts.join('\n')}\n` : `[${texts.join(',')}]`;
    const key = `${folder}${status}_${files[status].length}.${isLines ? 'jsonl' : 'json'}`;
    await objects.write({ bucket, key }, body);
    files[status].push({ Key: key, Size: Buffer.byteLength(body) });
  };

  let written = 0;
  for (const child of children) {
    if (child.status !== 'PENDING') written++;
    const file = open.get(child.status) ?? { texts: [], characters: 0 };
    open.set(child.status, file);
    for (const text of resultTexts(child, transformationOf(writing, 'NONE'))) {
      file.texts.push(text);
      file.characters += text.length;
    }
    if (file.characters > MAX_FILE_CHARACTERS) await close(child.status);
  }
  for (const status of ['SUCCEEDED', 'FAILED', 'PENDING'] as const) await close(status);

  const manifest = { DestinationBucket: bucket, MapRunArn: mapRunArn, ResultFiles: files };
  const key = `${folder}manifest.json`;
  await objects.write({ bucket, key }, JSON.stringify(manifest));
  return {
    output: { MapRunArn: mapRunArn, ResultWriterDetails: { Bucket: bucket, Key: key } },
    written,
  };
}

/** The results as the Map state's result, or undefined if their text is longer than `maxBytes`. */
export function collectResults(
  writing: ResultWriting | undefined,
  children: Iterable<ChildResult>,
  maxBytes: number,
): string | undefined {
  const texts: string[] = [];
  let bytes = 2;
  for (const child of children) {
    if (child.status === 'PENDING') continue;
    for (const text of resultTexts(child, transformationOf(writing, 'COMPACT'))) {
      bytes += Buffer.byteLength(text) + 1;
      if (bytes - 1 > maxBytes) return undefined;
      texts.push(text);
    }
  }
  return `[${texts.join(',')}]`;
}

type Transformation = 'NONE' | 'COMPACT' | 'FLATTEN';

function transformationOf(
  writing: ResultWriting | undefined,
  otherwise: Transformation,
): Transformation {
  const given = writing?.writerConfig?.['Transformation'];
  return given === 'NONE' || given === 'COMPACT' || given === 'FLATTEN' ? given : otherwise;
}

/** A child that did not succeed is shown with its metadata, whatever the transformation. */
function resultTexts({ output, metadata }: ChildResult, to: Transformation): string[] {
  if (output === undefined || to === 'NONE') return [JSON.stringify(metadata)];
  if (to === 'COMPACT') return [output];
  const value: unknown = JSON.parse(output);
  return Array.isArray(value) ? value.map((each) => JSON.stringify(each)) : [output];
}

function destinationOf(parameters: JsonObject, mapRunArn: string): Destination {
  const { Bucket, Prefix } = isJsonObject(parameters) ? parameters : {};
  if (typeof Bucket !== 'string' || Bucket === '') {
    throw new Error("The ResultWriter needs a text for 'Bucket'.");
  }
  const prefix = typeof Prefix === 'string' ? Prefix : '';
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  return { bucket: Bucket, folder: `${folder}${mapRunArn.slice(mapRunArn.lastIndexOf(':') + 1)}/` };
}
