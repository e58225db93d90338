import type { JsonObject } from '../language/json.ts';

export type HttpAnswer = {
  readonly status: number;
  readonly requestId: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** The headers that AWS shows of an answer, in the spelling in which it was recorded to show them. */
const SHOWN = ['x-amzn-RequestId', 'connection', 'Content-Length', 'Date', 'Content-Type'];

/** What an optimized integration adds to a service's answer. */
export function sdkMetadata({ status, requestId, headers }: HttpAnswer): JsonObject {
  const lowerCase = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  lowerCase.set('x-amzn-requestid', requestId);
  const single: JsonObject = {};
  const all: JsonObject = {};
  for (const name of SHOWN) {
    const value = lowerCase.get(name.toLowerCase());
    if (value === undefined) continue;
    single[name] = value;
    all[name] = [value];
  }
  return {
    SdkHttpMetadata: { AllHttpHeaders: all, HttpHeaders: single, HttpStatusCode: status },
    SdkResponseMetadata: { RequestId: requestId },
  };
}
