import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** What the provider does with a request. */
export type Behaviour = {
  /** Does the work; default true. */
  readonly work?: boolean;
  /** Cuts the connection instead of answering. */
  readonly cut?: boolean;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
};

export type ProviderRequest = {
  readonly key: string;
  readonly at: number;
  readonly worked: boolean;
};

/** STUB of the cases: records every request, does each key's work once, as its Idempotency-Key asks. */
export type Provider = {
  readonly url: string;
  readonly requests: readonly ProviderRequest[];
  /** How often the work was done, by idempotency key. */
  readonly works: ReadonlyMap<string, number>;
  /** How a request with this idempotency key is treated from now on; undefined means well. */
  behave(decide: (key: string) => Behaviour | undefined): void;
  requestsOf(keyPart: string): ProviderRequest[];
  stop(): Promise<void>;
};

export async function startProvider(): Promise<Provider> {
  const requests: ProviderRequest[] = [];
  const works = new Map<string, number>();
  let decide: (key: string) => Behaviour | undefined = () => undefined;

  const post = async (key: string, response: ServerResponse): Promise<void> => {
    const { work = true, cut, status = 200, headers = {}, delayMs = 0 } = decide(key) ?? {};
    const worked = work && !works.has(key);
    if (worked) works.set(key, 1);
    requests.push({ key, at: Date.now(), worked });
    if (delayMs > 0) await delay(delayMs);
    if (cut === true) return void response.destroy();
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ id: `work-of-${key}` }));
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await request.toArray();
    const key = decodeURIComponent(String(request.headers['idempotency-key']));
    if (request.method === 'POST') return await post(key, response);
    response.writeHead(works.has(key) ? 200 : 404).end();
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy()); // the client was killed
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
  return {
    url: `http://127.0.0.1:${address.port}/webhook`,
    requests,
    works,
    behave: (next) => void (decide = next),
    requestsOf: (keyPart) => requests.filter(({ key }) => key.includes(keyPart)),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
