import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { callbackIsPrivate } from '../jobs/check-request.ts';
import { type JobId, parseJobId } from '../jobs/ids.ts';
import type { Sql } from '../jobs/store/connect.ts';
import { findExistingJobs, type Refusals, writeRefusals } from '../jobs/store/refusals.ts';
import { type Caller, describeCaller } from './authenticate.ts';
import type { Problem, ProblemCode } from './problems.ts';

const writeMs = 2_000;
/** Different callers, reasons and routes that are kept between two writings; and among them jobs that are looked for. */
const maxKept = 500;
const maxLookedFor = 100;

/** Refusals that matter whatever they were about. What is not here is a client's mistake, and stands in the request log. */
const always: ReadonlySet<ProblemCode> = new Set([
  'scope-missing',
  'tenant-needed',
  'signature-invalid',
  'rate-limited',
  'open-job-quota',
  'idempotency-key-reused',
]);

export type RefusalLog = {
  /** Keeps it where it matters; asks and writes nothing yet. */
  note(problem: Problem, request: FastifyRequest): void;
  /** A key that was right once. */
  noteEndedKey(caller: Caller, how: 'revoked' | 'expired', request: FastifyRequest): void;
  /** Writes down what was kept; done every few seconds. */
  write(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * The audit of refusals: what a caller tried that it may not, for operators to see (GET /ops/audit). It costs a request
 * that is not refused nothing, and a refused one no statement; what is written is bounded by callers, reasons and routes,
 * not by how often somebody tries.
 */
export function createRefusalLog({
  sql,
  clock,
  log,
}: {
  readonly sql: Sql;
  readonly clock: () => Date;
  readonly log: Logger;
}): RefusalLog {
  let kept = new Map<string, Refusals>();
  let lookedFor = 0;
  let dropped = 0;

  const keep = (
    code: string,
    status: number,
    detail: string,
    request: FastifyRequest,
    caller: Caller | null,
    jobId: JobId | null = null,
  ): void => {
    const actor = caller === null ? 'nobody' : describeCaller(caller);
    const route = `${request.method} ${request.routeOptions.url ?? '?'}`;
    // Another tenant's jobs are told from jobs that are not there only when they are written: each stands for itself.
    const name = JSON.stringify([actor, code, route, jobId]);
    const earlier = kept.get(name);
    const isTooMuch = kept.size >= maxKept || (jobId !== null && lookedFor >= maxLookedFor);
    if (earlier === undefined && isTooMuch) {
      dropped += 1;
      return;
    }
    if (earlier === undefined && jobId !== null) lookedFor += 1;
    const now = clock();
    kept.set(name, {
      actor,
      tenantId: caller?.tenantId ?? null,
      code,
      route,
      status,
      times: (earlier?.times ?? 0) + 1,
      firstAt: earlier?.firstAt ?? now,
      lastAt: now,
      jobId,
      detail: detail.slice(0, 500),
      requestId: request.id,
    });
  };

  const write = async (): Promise<void> => {
    if (kept.size === 0) return;
    const refusals = [...kept.values()];
    kept = new Map();
    lookedFor = 0;
    if (dropped > 0)
      log.warn({ dropped }, 'refusals were not written: too many callers and routes');
    dropped = 0;
    const asked = refusals.flatMap(({ jobId }) => jobId ?? []);
    const existing = asked.length === 0 ? new Set() : await findExistingJobs(sql, asked);
    const mattering = refusals.filter(({ jobId }) => jobId === null || existing.has(jobId));
    if (mattering.length > 0) await writeRefusals(sql, inOne(mattering));
  };
  const writeOrLog = (): Promise<void> =>
    write().catch((error: unknown) => log.warn({ err: error }, 'refusals could not be written'));
  const timer = setInterval(() => void writeOrLog(), writeMs).unref();

  return {
    note(problem, request) {
      const { caller } = request;
      const code = codeOf(problem, request);
      if (code === undefined) return;
      const jobId = code === otherTenantsJob ? requestedJob(request) : null;
      if (code === otherTenantsJob && jobId === null) return;
      keep(code, problem.statusCode, detailOf(problem), request, caller, jobId);
    },
    noteEndedKey: (caller, how, request) =>
      keep(`key-${how}`, 401, `the key is ${how}`, request, caller),
    write,
    async stop() {
      clearInterval(timer);
      await writeOrLog();
    },
  };
}

const otherTenantsJob = 'other-tenants-job';

/** As what a problem is written down; undefined: not at all. */
function codeOf(problem: Problem, request: FastifyRequest): string | undefined {
  const { problemCode } = problem;
  if (always.has(problemCode)) return problemCode;
  const errors = problem.members.errors ?? [];
  if (problemCode === 'job-not-found') {
    return typeof request.caller?.tenantId === 'string' ? otherTenantsJob : undefined;
  }
  if (problemCode !== 'input-invalid') return undefined;
  if (errors.some(({ pointer }) => /^\/payloadRef\/(bucket|key)$/.test(pointer))) {
    return 'payload-elsewhere';
  }
  return errors.some(({ message }) => message === callbackIsPrivate)
    ? 'callback-address'
    : undefined;
}

const requestedJob = ({ params }: FastifyRequest): JobId | null => {
  const given = typeof params === 'object' && params !== null ? Object(params).jobId : undefined;
  return typeof given === 'string' ? (parseJobId(given) ?? null) : null;
};

function detailOf(problem: Problem): string {
  const errors = (problem.members.errors ?? []).map(
    ({ pointer, message }) => `${pointer} ${message}`,
  );
  return [problem.message, ...errors].join('; ');
}

/** One statement writes a row once: what differs in its job alone becomes one. */
function inOne(refusals: readonly Refusals[]): Refusals[] {
  const rows = new Map<string, Refusals>();
  for (const refusal of refusals) {
    const hour = refusal.firstAt.toISOString().slice(0, 13);
    const name = JSON.stringify([hour, refusal.actor, refusal.code, refusal.route]);
    const { times = 0, firstAt = refusal.firstAt } = rows.get(name) ?? {};
    rows.set(name, { ...refusal, firstAt, times: times + refusal.times });
  }
  return [...rows.values()];
}
