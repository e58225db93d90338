import { type Operations, type Problem, routes } from '../../client/api-types.ts';
import { parseExact } from './exact-json.ts';

export type OperationName = keyof Operations & keyof typeof routes;
export type Answer<Name extends OperationName> = Operations[Name]['answer'];

export type CallInput = {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text, or what is made one. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};

export type CallResult<Name extends OperationName> = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Answer<Name>;
};

/** The API refused; `problem` is its answer (RFC 9457). */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly problem: Partial<Problem>;
  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? `the API answered ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

/** JSON that is written by hand is sent as it stands, so that no digit of it is lost on the way. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Makes one call with the key. Throws Refused for 4xx and 5xx, TypeError where there is no connection. */
export async function call<Name extends OperationName>(
  key: string,
  name: Name,
  input: CallInput = {},
): Promise<CallResult<Name>> {
  const { path = {}, query = {}, headers = {}, body, signal } = input;
  const [method, pattern] = routes[name];
  const response = await fetch(addressOf(pattern, path, query), {
    method,
    cache: 'no-store',
    credentials: 'omit',
    headers: {
      ...headers,
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined
      ? {}
      : { body: body instanceof JsonText ? body.text : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  const parsed = isJson && text !== '' ? parseExact(text) : null;
  if (response.status >= 400) {
    throw new Refused(response.status, (parsed ?? {}) as Partial<Problem>);
  }
  return { status: response.status, headers: response.headers, body: parsed as Answer<Name> };
}

export function addressOf(
  pattern: string,
  path: NonNullable<CallInput['path']>,
  query: NonNullable<CallInput['query']>,
): string {
  const filled = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}
