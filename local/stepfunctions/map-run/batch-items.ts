import { MAX_PAYLOAD_BYTES, toText } from '../execution/json-text.ts';
import type { Json } from '../language/json.ts';
import type { ItemBatching } from '../language/map-fields.ts';

/** The input of one child execution, and how many items are in it. */
export type ChildInput = { readonly input: string; readonly itemCount: number };

/**
 * Puts items together as ItemBatcher says: `{BatchInput?, Items: […]}`, in their order, each batch
 * as large as MaxItemsPerBatch and MaxInputBytesPerBatch allow. A single item that is larger is a
 * batch of its own.
 * https://docs.aws.amazon.com/step-functions/latest/dg/input-output-itembatcher.html
 */
export async function* batchItems(
  inputs: AsyncIterable<Json>,
  batching: ItemBatching | undefined,
): AsyncGenerator<ChildInput> {
  if (!batching) {
    for await (const input of inputs) yield { input: toText(input), itemCount: 1 };
    return;
  }
  const { maxItemsPerBatch = Infinity, batchInput } = batching;
  const maxBytes = batching.maxInputBytesPerBatch ?? MAX_PAYLOAD_BYTES;
  const head = batchInput === undefined ? '' : `"BatchInput":${toText(batchInput)},`;
  const emptyBytes = Buffer.byteLength(`{${head}"Items":[]}`);
  let items: string[] = [];
  let bytes = emptyBytes;
  const batch = (): ChildInput => {
    const child = { input: `{${head}"Items":[${items.join(',')}]}`, itemCount: items.length };
    items = [];
    bytes = emptyBytes;
    return child;
  };
  for await (const input of inputs) {
    const text = toText(input);
    const added = Buffer.byteLength(text) + (items.length > 0 ? 1 : 0);
    if (items.length > 0 && bytes + added > maxBytes) yield batch();
    bytes += Buffer.byteLength(text) + (items.length > 0 ? 1 : 0);
    items.push(text);
    if (items.length >= maxItemsPerBatch) yield batch();
  }
  if (items.length > 0) yield batch();
}
