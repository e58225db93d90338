import type { Api } from './api.ts';

/** What a page's script may read of an answer besides its body. */
const exposed = [
  'ETag',
  'Idempotency-Replayed',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'Prefer',
  'X-Request-Id',
].join(', ');
const preflightSeconds = 600;

/**
 * Lets pages of these origins call the API (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol). Without any, no
 * answer names an origin, and a preflight is 405 like any other method that an address does not take. Keys travel in a
 * header that the page sets itself, so cookies are of no use here and credentials are not allowed.
 */
export function allowOrigins(app: Api, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const known = new Set(origins);
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    reply.header('vary', 'Origin');
    if (origin === undefined || !known.has(origin)) return;
    reply
      .header('access-control-allow-origin', origin)
      .header('access-control-expose-headers', exposed);
    if (request.method !== 'OPTIONS') return;
    const method = request.headers['access-control-request-method'];
    if (method === undefined) return;
    return await reply
      .code(204)
      .header('access-control-allow-methods', 'GET, POST, PUT')
      .header('access-control-allow-headers', allowedHeaders)
      .header('access-control-max-age', String(preflightSeconds))
      .send();
  });
}
