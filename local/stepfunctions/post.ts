import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';

export type Post = {
  /** What comes after the endpoint's path; default: the endpoint as it is. */
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
};

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
};

/**
 * Posts to one endpoint over kept-alive connections; rejects when there is no whole answer, with the signal's reason where that
 * was it. Redirects are not followed. What meets a connection that the other side has just closed is sent again, twice at most,
 * so a call may come more than once.
 *
 * In place of `fetch`, of which 11 kB a call get old (docs/decisions/collected-young.md).
 */
export function postTo(endpoint: string): (post: Post) => Promise<Answer> {
  const base = new URL(endpoint);
  const isSecure = base.protocol === 'https:';
  const kept = { keepAlive: true, maxSockets: Infinity };
  const agent = isSecure ? new TlsAgent(kept) : new Agent(kept);
  const send = isSecure ? tlsRequest : request;
  const { hostname: host, port } = urlToHttpOptions(base);
  const below = base.pathname.replace(/\/$/, '');

  const postOnce = ({ path, headers, body, signal }: Post): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const call = send(
        {
          host,
          port,
          path: path === undefined ? `${base.pathname}${base.search}` : `${below}${path}`,
          method: 'POST',
          agent,
          signal,
          headers: { 'Content-Length': Buffer.byteLength(body), ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              rawHeaders: response.rawHeaders,
              body: Buffer.concat(chunks).toString(),
            });
          });
        },
      );
      call.on('error', reject);
      call.end(body);
    });

  return async (post) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await postOnce(post);
      } catch (error) {
        post.signal.throwIfAborted();
        if (!isStaleConnection(error) || attempt >= MAX_ATTEMPTS) throw error;
      }
    }
  };
}

const MAX_ATTEMPTS = 3;

/** A kept-alive connection that the other side closed just before it was used again. */
function isStaleConnection(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ECONNRESET' || error.code === 'EPIPE')
  );
}
