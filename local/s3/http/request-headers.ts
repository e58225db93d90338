/** Request headers by lower-case name; repeated headers are joined by a comma, as SigV4 signs them. */
export type RequestHeaders = ReadonlyMap<string, string>;

/** Collects Node's flat list of raw header names and values. */
export function collectHeaders(rawHeaders: readonly string[]): RequestHeaders {
  const headers = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return headers;
}
