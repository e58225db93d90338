import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { parseTraceparent, startSpan, type TracedSpan } from '../jobs/tracing.ts';
import type { Api } from './api.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span: TracedSpan | null;
  }
}

/** A span for each request, which continues the client's trace where it sends one. */
export function traceRequests(app: Api): void {
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, routeOptions, headers } = request;
    request.span = startSpan(`${method} ${routeOptions.url ?? 'unknown'}`, {
      parent: parseTraceparent(headers['traceparent']),
      kind: 'server',
      attributes: {
        'http.request.method': method,
        'http.route': routeOptions.url ?? 'unknown',
        'pawl.request_id': request.id,
      },
    });
    done();
  });
  app.addHook('onResponse', ({ span }, { statusCode }, done) => {
    span?.set({ 'http.response.status_code': statusCode });
    span?.end(statusCode >= 500 ? `HTTP ${statusCode}` : undefined);
    done();
  });
}

/** What a job of this request continues: where nobody traces, a new trace that is not sampled, for the logs. */
export const traceparentOf = ({ span }: FastifyRequest): string =>
  span?.traceparent ?? `00-${randomHex()}-${randomHex().slice(0, 16)}-00`;

/** 32 digits. Node keeps random bytes for UUIDs in store: a tenth of what two calls for random bytes cost. */
const randomHex = (): string => randomUUID().replaceAll('-', '');
