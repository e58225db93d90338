import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Credentials } from './auth/verify-request.ts';
import { handleRequest, type Log } from './http/handle-request.ts';
import { abortOldUploads } from './object/abort-old-uploads.ts';
import { openStore } from './store/open-store.ts';

export type { Credentials } from './auth/verify-request.ts';
export type { Log } from './http/handle-request.ts';

export interface S3ServerOptions {
  /** Made if need be; belongs to this server alone while it runs. */
  dataDir: string;
  /** The only region that signatures may name. */
  region: string;
  /** The keys that may sign; all have the same rights. */
  credentials: readonly Credentials[];
  /** Epoch milliseconds; `Date` itself will do. */
  clock: { now(): number };
  log: Log;
}

export interface S3Server {
  /** Opens the store and listens; port 0 takes any free one. The caller chooses the host: loopback, on one machine. */
  listen(host: string, port: number): Promise<{ port: number }>;
  /** Lets running requests finish for `graceMs`, then cuts them; may be called twice. */
  close(options?: { graceMs: number }): Promise<void>;
}

const headersTimeoutMs = 20_000;
const idleTimeoutMs = 5 * 60_000;
/** 5 GiB at 1.5 MB/s. */
const requestTimeoutMs = 60 * 60_000;
const maxHeaderBytes = 16 * 1024;
const maxConnections = 1000;
/** How often lifecycle rules are applied. */
const lifecycleMs = 60 * 60_000;

/** A small S3 on files: path style, SigV4, versions, multipart, checksums (README.md says what it leaves out). */
export function createS3Server(options: S3ServerOptions): S3Server {
  const { clock, log, region, credentials } = options;
  let stop: ((graceMs: number) => Promise<void>) | undefined;
  let stopping: Promise<void> | undefined;

  return {
    async listen(host, port) {
      if (stop !== undefined) throw new Error('this S3 server is listening already');
      const { store, removedLeftovers } = await openStore(options.dataDir);
      if (removedLeftovers > 0) log.info({ removedLeftovers }, 'removed files left by a crash');
      const running = new Set<Promise<void>>();
      const run = (handled: Promise<void>) => {
        running.add(handled);
        void handled.finally(() => running.delete(handled));
      };
      const abortOld = async (): Promise<void> => {
        const aborted = await abortOldUploads(store, clock.now());
        if (aborted > 0) log.info({ aborted }, 'aborted uploads that a lifecycle rule gives up');
      };
      await abortOld();
      const lifecycle = setInterval(() => {
        run(abortOld().catch((error: unknown) => log.error({ err: error }, 'aborting failed')));
      }, lifecycleMs).unref();
      const verifier = { credentials, region, clock };
      const dependencies = { store, region, clock, verifier, log };
      const server = createServer({
        maxHeaderSize: maxHeaderBytes,
        headersTimeout: headersTimeoutMs,
        requestTimeout: requestTimeoutMs,
      });
      server.timeout = idleTimeoutMs;
      server.maxConnections = maxConnections;
      server.on('request', (req, res) => run(handleRequest(dependencies, req, res, false)));
      server.on('checkContinue', (req, res) => run(handleRequest(dependencies, req, res, true)));
      stop = async (graceMs) => {
        clearInterval(lifecycle);
        const closed = new Promise<void>((resolve) => {
          server.close(() => resolve());
        });
        server.closeIdleConnections();
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        await closed;
        clearTimeout(timer);
        await Promise.all(running);
        store.index.close();
      };
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      }).catch((error: unknown) => {
        store.index.close();
        stop = undefined;
        throw error;
      });
      return { port: listeningPort(server.address()) };
    },
    async close({ graceMs } = { graceMs: 5000 }) {
      stopping ??= stop?.(graceMs);
      await stopping;
    },
  };
}

function listeningPort(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('not listening on TCP');
  return address.port;
}
