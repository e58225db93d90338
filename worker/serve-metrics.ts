import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

export type MetricsServer = { close(): Promise<void> };

/** Serves GET /metrics in Prometheus' text format, and GET /healthz, on a port of its own. */
export async function serveMetrics(
  register: Registry,
  { host, port, log }: { readonly host: string; readonly port: number; readonly log: Logger },
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || !['/metrics', '/healthz'].includes(request.url ?? '')) {
      response.writeHead(404).end();
    } else if (request.url === '/healthz') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
    } else {
      register.metrics().then(
        (text) => response.writeHead(200, { 'content-type': register.contentType }).end(text),
        (error: unknown) => {
          log.error({ err: error }, 'metrics could not be collected');
          response.writeHead(500).end();
        },
      );
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  log.info({ url: `http://${host}:${bound}/metrics` }, 'metrics');
  return {
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
