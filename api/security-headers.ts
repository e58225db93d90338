import type { Api } from './api.ts';

/** The docs page loads its own script and styles only; styles of Swagger UI stand in the page. */
const pagePolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** What OWASP's REST and secure-headers sheets ask for. */
export function setSecurityHeaders(app: Api): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html');
    reply
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .header('cross-origin-resource-policy', 'same-origin')
      .header('x-frame-options', 'DENY');
    // The console has a stricter one of its own.
    if (!reply.hasHeader('content-security-policy')) {
      reply.header(
        'content-security-policy',
        isPage ? pagePolicy : "default-src 'none'; frame-ancestors 'none'",
      );
    }
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    done();
  });
}
