import type { FastifyInstance } from 'fastify';
import { Histogram, type Registry } from 'prom-client';

/** Counts and times requests by route, and serves GET /metrics in Prometheus' text format. */
export function serveMetrics(app: FastifyInstance, register: Registry): void {
  const seconds = new Histogram({
    name: 'pawl_http_request_duration_seconds',
    help: 'From the request’s arrival to the end of the answer; held requests count as long as they are held',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [register],
  });
  app.addHook('onResponse', (request, reply, done) => {
    // The pattern, not the address: a label has few values.
    const route = request.routeOptions.url ?? 'none';
    seconds.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
    done();
  });
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(register.contentType).send(await register.metrics()),
  );
}
