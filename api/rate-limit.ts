import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from './authenticate.ts';
import { Problem, quotaExceeded } from './problems.ts';

const windowSeconds = 60;
const windowMs = windowSeconds * 1000;
const policy = 'tenant';
/** Windows that are over are swept out when there are more than this. */
const maxWindows = 10_000;

type Window = { readonly endsAt: number; used: number };

/**
 * The hook that counts a tenant's requests in windows of a minute, where its settings limit them, and tells it how
 * many are left (draft-ietf-httpapi-ratelimit-headers: RateLimit-Policy and RateLimit). Each process counts for
 * itself: behind a load balancer the limit is one of each process. To be run after authentication.
 */
export function createRateLimit(clock: () => Date) {
  const windows = new Map<string, Window>();
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { tenantId, requestsPerMinute } = callerOf(request);
    if (tenantId === null || requestsPerMinute === null) return;
    const now = clock().getTime();
    const window = currentWindow(windows, tenantId, now);
    window.used += 1;
    const left = Math.max(0, requestsPerMinute - window.used);
    const resetSeconds = Math.ceil((window.endsAt - now) / 1000);
    const headers = {
      'ratelimit-policy': `"${policy}";q=${requestsPerMinute};w=${windowSeconds}`,
      ratelimit: `"${policy}";r=${left};t=${resetSeconds}`,
    };
    void reply.headers(headers);
    if (window.used > requestsPerMinute) throw rateLimited(requestsPerMinute, resetSeconds);
  };
}

function currentWindow(windows: Map<string, Window>, tenantId: string, now: number): Window {
  const known = windows.get(tenantId);
  if (known !== undefined && known.endsAt > now) return known;
  if (windows.size >= maxWindows) {
    for (const [id, window] of windows) if (window.endsAt <= now) windows.delete(id);
  }
  const opened = { endsAt: now + windowMs, used: 0 };
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
