import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Logger } from 'pino';
import type { Sql } from '../jobs/store/connect.ts';
import { addRequestCounts, removeRequestCounts } from '../jobs/store/request-counts.ts';
import { callerOf } from './authenticate.ts';
import { Problem, quotaExceeded } from './problems.ts';

const windowSeconds = 60;
const windowMs = windowSeconds * 1000;
const policy = 'tenant';
const shareMs = 1_000;

/** A tenant's requests of one minute: those that all processes had told of each other, and this one's since then. */
type Window = { readonly minuteAt: Date; shared: number; own: number };

export type RateLimit = {
  /** To be run after authentication. */
  readonly onRequest: (
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ) => void;
  /** Tells the other processes what this one has counted, and learns what they have; done every second. */
  share(): Promise<void>;
  stop(): void;
};

/**
 * Counts a tenant's requests by the minute of the clock, where its settings limit them, and tells it how many are left
 * (draft-ietf-httpapi-ratelimit-headers: RateLimit-Policy and RateLimit). A request is decided on by what is known here,
 * without asking anybody; the processes add up their counts in the database every second. So the limit is one of all of
 * them, and what is let in beyond it is at most what comes to the other processes within a second.
 */
export function createRateLimit({
  sql,
  clock,
  log,
}: {
  readonly sql: Sql;
  readonly clock: () => Date;
  readonly log: Logger;
}): RateLimit {
  const windows = new Map<string, Window>();
  let sharing: Promise<void> | undefined;

  const shareOnce = async (): Promise<void> => {
    const minuteMs = minuteOf(clock());
    const told = [...windows].filter(([, window]) => window.own > 0);
    const counts = told.map(([tenantId, { minuteAt, own }]) => ({ tenantId, minuteAt, used: own }));
    for (const [tenantId, { minuteAt }] of windows) {
      if (minuteAt.getTime() < minuteMs) windows.delete(tenantId);
    }
    if (counts.length === 0) return;
    const known = await addRequestCounts(sql, counts);
    for (const [index, [, window]] of told.entries()) window.own -= counts[index]?.used ?? 0;
    for (const { tenantId, minuteAt, used } of known) {
      const window = windows.get(tenantId);
      if (window?.minuteAt.getTime() === minuteAt.getTime()) window.shared = used;
    }
    await removeRequestCounts(sql);
  };
  const share = async (): Promise<void> => {
    sharing ??= shareOnce().finally(() => (sharing = undefined));
    await sharing;
  };
  const timer = setInterval(() => {
    share().catch((error: unknown) => {
      log.warn(
        { err: error },
        'the counts of requests could not be shared: each process counts for itself',
      );
    });
  }, shareMs).unref();

  return {
    share,
    stop: () => clearInterval(timer),
    onRequest: (request, reply, done) => {
      const { tenantId, requestsPerMinute } = callerOf(request);
      if (tenantId === null || requestsPerMinute === null) {
        done();
        return;
      }
      const now = clock();
      const window = currentWindow(windows, tenantId, now);
      window.own += 1;
      const used = window.shared + window.own;
      const left = Math.max(0, requestsPerMinute - used);
      const resetSeconds = Math.ceil((minuteOf(now) + windowMs - now.getTime()) / 1000);
      void reply.headers({
        'ratelimit-policy': `"${policy}";q=${requestsPerMinute};w=${windowSeconds}`,
        ratelimit: `"${policy}";r=${left};t=${resetSeconds}`,
      });
      done(used > requestsPerMinute ? rateLimited(requestsPerMinute, resetSeconds) : undefined);
    },
  };
}

const minuteOf = (now: Date): number => Math.floor(now.getTime() / windowMs) * windowMs;

function currentWindow(windows: Map<string, Window>, tenantId: string, now: Date): Window {
  const minuteMs = minuteOf(now);
  const known = windows.get(tenantId);
  if (known?.minuteAt.getTime() === minuteMs) return known;
  const opened = { minuteAt: new Date(minuteMs), shared: 0, own: 0 };
  windows.set(tenantId, opened);
  return opened;
}

const rateLimited = (requestsPerMinute: number, resetSeconds: number): Problem =>
  new Problem(
    'rate-limited',
    {
      type: quotaExceeded,
      'violated-policies': [policy],
      detail: `${requestsPerMinute} requests a minute are taken`,
    },
    { 'retry-after': String(resetSeconds) },
  );
