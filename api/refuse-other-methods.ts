import type { HTTPMethods } from 'fastify';
import type { Api } from './api.ts';
import { Problem } from './problems.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/**
 * Watches which routes are added; the function it gives adds to each address the methods it does not have, so that
 * they are answered 405 with Allow (Fastify alone says 404). To be called when all routes are there.
 */
export function watchRoutes(app: Api): () => void {
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const allowed = known.get(url) ?? new Set();
    for (const name of [method].flat()) allowed.add(name);
    known.set(url, allowed);
  });
  return () => {
    for (const [url, allowed] of new Map(known)) {
      refuseOthers(app, url, new Set(allowed));
    }
  };
}

function refuseOthers(app: Api, url: string, allowed: ReadonlySet<string>): void {
  const others: HTTPMethods[] = methods.filter((method) => !allowed.has(method));
  if (others.length === 0) return;
  const allow = [...allowed].sort().join(', ');
  app.route({
    method: others,
    url,
    schema: { hide: true },
    // Before the body is read: nothing of it matters.
    onRequest: async () => {
      throw new Problem('method-not-allowed', { detail: `it takes ${allow}` }, { allow });
    },
    handler: async () => undefined,
  });
}
