import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from '../support/serve.ts';

/** What the provider does with one request. */
export type Behaviour = {
  /** Does the work, once for each idempotency key. */
  readonly work?: boolean;
  /** Cuts the connection instead of answering. */
  readonly cut?: boolean;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly delayMs?: number;
};

export type SeenRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly key: string;
  readonly body: string;
  readonly at: number;
};

export type StubProvider = {
  readonly url: string;
  readonly requests: SeenRequest[];
  /** How often the work was done, by idempotency key. */
  readonly works: Map<string, number>;
  /** What is done with the next requests, one each; afterwards all are done and answered 200. */
  readonly behave: (...next: Behaviour[]) => void;
  /** Drops what was to be done with requests that did not come. */
  readonly forget: () => void;
  readonly posts: () => SeenRequest[];
};

/** An HTTP server that plays the provider: works, refuses, delays, or does the work and loses the answer. */
export async function startStubProvider(): Promise<StubProvider> {
  const requests: SeenRequest[] = [];
  const works = new Map<string, number>();
  const script: Behaviour[] = [];
  const server = createServer((request, response) => {
    void handle(request, response);
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const key = String(headers['idempotency-key']);
    const body = Buffer.concat(await request.toArray()).toString();
    requests.push({ method, url, headers, key, body, at: Date.now() });
    if (method === 'GET') return answerLookup(url, response);
    const behaviour = script.shift() ?? { work: true };
    if (behaviour.work === true) works.set(key, (works.get(key) ?? 0) + 1);
    if (behaviour.delayMs !== undefined) await delay(behaviour.delayMs);
    if (behaviour.cut === true) return void request.socket.destroy();
    response.writeHead(behaviour.status ?? 200, behaviour.headers);
    response.end(behaviour.body ?? '{"ok":true}');
  }
  function answerLookup(url: string, response: ServerResponse): void {
    const asked = new URL(url, 'http://stub').searchParams.get('idempotencyKey') ?? '';
    response.writeHead(works.has(asked) ? 200 : 404).end(works.has(asked) ? '{"found":true}' : '');
  }
  const address = await serve(server);
  return {
    url: `${address}/hook`,
    requests,
    works,
    behave: (...next) => void script.push(...next),
    forget: () => void script.splice(0),
    posts: () => requests.filter(({ method }) => method === 'POST'),
  };
}
