import type { Json, JsonObject } from '../language/json.ts';

type WithText = { transformToString(): Promise<string> };

/** An SDK answer as JSON: times as ISO texts, streams and bytes as texts, nothing for undefined. */
export async function sdkOutput(output: Readonly<Record<string, unknown>>): Promise<JsonObject> {
  const json: JsonObject = {};
  for (const [name, value] of Object.entries(output)) {
    if (value !== undefined && name !== '$metadata') json[name] = await toJson(value);
  }
  return json;
}

async function toJson(value: unknown): Promise<Json> {
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (Array.isArray(value)) return Promise.all(value.map(toJson));
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (isStream(value)) return value.transformToString();
  return sdkOutput(Object.fromEntries(Object.entries(value)));
}

function isStream(value: object): value is WithText {
  return 'transformToString' in value && typeof value.transformToString === 'function';
}
