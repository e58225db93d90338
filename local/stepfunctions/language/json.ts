/** A JSON value (RFC 8259) as `JSON.parse` gives it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** Synchronous for JSONPath and constants (the hot path), a promise where JSONata is evaluated. */
export type Awaitable<T> = T | Promise<T>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Calls `next` with the value, at once when it is there already. */
export function whenReady<T, R>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<R>,
): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Sets an own property, also for the name `__proto__`, which an assignment would lose. */
export function setOwn(target: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else {
    target[key] = value;
  }
}

/** Reads an own property only: `constructor` or `__proto__` of a JSON object are data, not JavaScript's. */
export function getOwn(target: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(target, key) ? target[key] : undefined;
}

/** As deep as AWS's own JSON parser (Jackson) goes. */
export const maxNesting = 1_000;

/** Whether a value nests so deep that writing it as text could exhaust the stack. */
export function nestsTooDeep(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxNesting) return true;
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    );
  }
  return false;
}

/** A value as causes quote it. */
export function quoteJson(value: Json): string {
  return nestsTooDeep(value) ? '…' : JSON.stringify(value);
}

/**
 * Whether a value's JSON text is longer than about `maxBytes`, told without writing it and without walking on
 * once it is: a value that holds the same part many times can be huge as text and small in memory.
 */
export function isLongerThan(value: Json, maxBytes: number): boolean {
  let bytes = 0;
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    bytes += typeof next === 'string' ? next.length + 2 : 2;
    if (bytes > maxBytes) return true;
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, each] of Object.entries(next)) {
      if (!Array.isArray(next)) bytes += key.length + 3;
      open.push(each);
    }
  }
  return false;
}
