// The only HTTP client in reach of tasks. Handlers do not get it: they have `callProvider`, which goes through the
// effect log; the linter refuses this file, fetch and node:http(s) elsewhere in tasks/.
import http from 'node:http';
import https from 'node:https';
import { crashPoint } from '../../jobs/crash-point.ts';

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type HttpAnswer = {
  readonly kind: 'answered';
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** UTF-8, cut after `maxBodyBytes`. */
  readonly body: string;
};

/** `sent: false`: the connection was never made (refused, DNS, TLS), so the provider cannot have done anything. */
export type HttpFailure = {
  readonly kind: 'failed';
  readonly sent: boolean;
  readonly message: string;
};

export type HttpOptions = {
  readonly signal: AbortSignal;
  /** No connection of before: on one that the provider is closing, a reset says nothing about what was done. */
  readonly freshConnection: boolean;
};

export type HttpClient = {
  /** Never throws, never follows a redirect, ends when `signal` says so. */
  readonly send: (request: HttpRequest, options: HttpOptions) => Promise<HttpAnswer | HttpFailure>;
  readonly close: () => void;
};

const maxBodyBytes = 64 * 1024;

/** A client with keep-alive connections; one a process. */
export function createHttpClient(): HttpClient {
  const agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: 50 }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: 50 }),
  };
  return {
    send: async (request, options) => {
      const url = URL.parse(request.url);
      if (url === null) return notSent(`${request.url} is not a URL`);
      const secure = url.protocol === 'https:';
      const agent = options.freshConnection ? false : agents[secure ? 'https:' : 'http:'];
      try {
        return await send(secure ? https : http, url, request, { ...options, agent });
      } catch (error) {
        // Node refuses the request itself: a header it cannot write, a protocol it does not speak.
        return notSent(error instanceof Error ? error.message : String(error));
      }
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

const notSent = (message: string): HttpFailure => ({ kind: 'failed', sent: false, message });

type SendOptions = HttpOptions & { readonly agent: http.Agent | false };

function send(
  transport: typeof http | typeof https,
  url: URL,
  request: HttpRequest,
  { signal, agent }: SendOptions,
): Promise<HttpAnswer | HttpFailure> {
  return new Promise((resolve) => {
    let sent = false;
    const fail = (error: Error): void => {
      resolve({ kind: 'failed', sent, message: describe(error) });
    };
    const { method, body } = request;
    const headers = {
      ...request.headers,
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    };
    const outgoing = transport.request(url, { method, headers, agent }, (response) => {
      readAnswer(response).then(resolve, fail);
    });
    outgoing.on('error', fail);
    outgoing.on('finish', () => crashPoint('after-provider-request'));
    outgoing.on('socket', (socket) => {
      if (!socket.connecting) sent = true;
      else
        socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
          sent = true;
        });
    });
    endOn(signal, () => outgoing.destroy(new Error('no answer in time')));
    outgoing.end(body);
  });
}

/** An answer that came in while this process was held up is read first: the timer only looks as if it won. */
function endOn(signal: AbortSignal, end: () => void): void {
  const later = (): void => {
    setImmediate(() => setImmediate(end));
  };
  if (signal.aborted) later();
  else signal.addEventListener('abort', later, { once: true });
}

async function readAnswer(response: http.IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBodyBytes) break; // leaving the loop ends the connection
  }
  return {
    kind: 'answered',
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: Buffer.concat(chunks).subarray(0, maxBodyBytes).toString('utf8'),
  };
}

const describe = (error: Error): string =>
  'code' in error ? `${String(error.code)}: ${error.message}` : error.message;
