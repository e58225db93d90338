/** An answer with its JSON body as it came; a test reads what it expects from it. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
};

/** The members of answers that tests look at; which of them are there, the status says. */
export type Json = {
  readonly jobId: string;
  readonly type: string;
  readonly status: string | number;
  readonly run: number;
  readonly createdAt: string;
  readonly links: Readonly<Record<string, string>>;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
  readonly knownTypes: readonly string[];
  readonly [member: string]: unknown;
};

type Call = {
  readonly key?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** One HTTP call as a client makes it. */
export async function call(
  method: string,
  url: string,
  { key, json, body, headers = {} }: Call = {},
): Promise<Answer> {
  const sent = json === undefined ? body : JSON.stringify(json);
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const parsed: Json = isJson && text !== '' ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, text, body: parsed };
}
