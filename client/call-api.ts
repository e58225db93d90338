import { type Operations, type Problem, routes } from './api-types.ts';
import { PawlProblem, PawlUnreachable } from './errors.ts';

export type ClientOptions = {
  /** Where the API is, such as http://127.0.0.1:3000. */
  readonly url: string;
  readonly key: string;
  /** How often a call is tried in all, when it meets a broken connection, 429 or 503. Default: 6. */
  readonly maxTries?: number;
  readonly fetch?: typeof fetch;
};

type Text = string | number | boolean | undefined;
export type CallInput = {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, Text>>;
  readonly header?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** For a call that must not be made twice: one try. */
  readonly once?: boolean;
};

export type CallAnswer<Name extends keyof Operations> = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Operations[Name]['answer'];
};

const longestPauseMs = 30_000;
const busy = new Set([429, 502, 503, 504]);

/**
 * Makes one call. A broken connection, 429, 502, 503 and 504 are tried again, after Retry-After or with backoff and
 * jitter. Throws PawlProblem for any other refusal, PawlUnreachable when the tries are used up.
 */
export async function callApi<Name extends keyof Operations>(
  options: ClientOptions,
  name: Name,
  input: CallInput = {},
): Promise<CallAnswer<Name>> {
  const response = await fetchPatiently(options, name, input);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const body = isJson && text !== '' ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, body };
}

/** The response of a call before its body is read; see callApi for what is tried again and what is thrown. */
export async function fetchPatiently(
  options: ClientOptions,
  name: keyof Operations,
  input: CallInput,
): Promise<Response> {
  const maxTries = input.once === true ? 1 : (options.maxTries ?? 6);
  for (let tries = 1; ; tries += 1) {
    const response = await fetchOnce(options, name, input);
    if (response instanceof Response && !busy.has(response.status)) return await orThrow(response);
    if (tries >= maxTries) {
      if (response instanceof Response) return await orThrow(response);
      throw new PawlUnreachable(`${options.url} gave no answer in ${tries} tries`, {
        cause: response,
      });
    }
    await pause(pauseMs(response, tries), input.signal);
  }
}

/** The response, or the error for which there was none. An abort by the caller is thrown. */
async function fetchOnce(
  { url, key, fetch: fetchWith = fetch }: ClientOptions,
  name: keyof Operations,
  { path = {}, query = {}, header = {}, body, signal }: CallInput,
): Promise<Response | Error> {
  const [method, pattern] = routes[name];
  const address = new URL(
    pattern.replaceAll(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(path[part] ?? '')),
    url,
  );
  for (const [field, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.set(field, String(value));
  }
  const headers = new Headers({ authorization: `Bearer ${key}` });
  for (const [field, value] of Object.entries(header)) {
    if (value !== undefined) headers.set(field, value);
  }
  if (body !== undefined) headers.set('content-type', 'application/json');
  try {
    return await fetchWith(address, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof Error)) throw error;
    return error;
  }
}

async function orThrow(response: Response): Promise<Response> {
  if (response.status < 400) return response;
  const text = await response.text();
  throw new PawlProblem(problemOf(response.status, text));
}

function problemOf(status: number, text: string): Problem {
  try {
    const parsed: Problem = JSON.parse(text);
    if (typeof parsed.title === 'string') return parsed;
  } catch {
    // Not Pawl's own answer: a proxy's. It is told as it came.
  }
  return {
    type: 'about:blank',
    title: `HTTP ${status}`,
    status,
    code: 'unknown',
    detail: text.slice(0, 500),
  };
}

function pauseMs(response: Response | Error, tries: number): number {
  const asked =
    response instanceof Response ? Number(response.headers.get('retry-after') ?? NaN) : NaN;
  const ownMs = 250 * 2 ** tries * (0.5 + Math.random() / 2);
  return Math.min(longestPauseMs, Number.isFinite(asked) ? asked * 1000 : ownMs);
}

/** Resolves after `ms`; rejects when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
