import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { classify } from '../../jobs/classify.ts';
import type { EffectPolicy } from '../../jobs/config.ts';
import type { EffectResult, EffectTiming } from '../../jobs/effect-log.ts';
import type { Sql } from '../../jobs/store/connect.ts';
import { type Fence, openRun } from '../../jobs/store/open-run.ts';
import { callProvider, type ProviderCall } from '../../tasks/runtime/effect.ts';
import { createHttpClient } from '../../tasks/runtime/http-client.ts';
import { seedJob } from '../support/seed-job.ts';

/** Time enough on a busy machine. */
const calmTiming: EffectTiming = {
  leaseMs: 5_000,
  callTimeoutMs: 4_000,
  settleMs: 2_000,
  jitterMs: 0,
};

/** For the tests that wait for the end of a call or a lease. */
export const quickTiming: EffectTiming = {
  leaseMs: 600,
  callTimeoutMs: 400,
  settleMs: 400,
  jitterMs: 0,
};

export type Run = { readonly fence: Fence; readonly tenantId: 'acme'; readonly key: string };

const http = createHttpClient();
after(() => http.close());

/** A job RUNNING under its first execution, with an effect key of its own. */
export async function seedRun(sql: Sql): Promise<Run> {
  const { jobId } = await seedJob(sql);
  const fence = { jobId, executionName: jobId, redriveCount: 0 };
  await openRun(sql, fence, 'test');
  return { fence, tenantId: 'acme', key: `order:${randomUUID()}:confirmation` };
}

/** The same job after `redriveCount` redrives of its execution. */
export async function redriven(sql: Sql, run: Run, redriveCount = 1): Promise<Run> {
  const fence = { ...run.fence, redriveCount };
  await openRun(sql, fence, 'test');
  return { ...run, fence };
}

/** One attempt of a task that calls the provider at `url`. */
export async function attempt(
  sql: Sql,
  run: Run,
  url: string,
  policy: EffectPolicy,
  more: Partial<ProviderCall> & { readonly timing?: EffectTiming } = {},
): Promise<EffectResult> {
  const { timing = calmTiming, ...call } = more;
  const { fence, key } = run;
  const tenantId = run.tenantId as never;
  return await callProvider(
    { sql, http, timing, fence, tenantId },
    {
      key,
      policy,
      provider: 'stub',
      operation: 'confirm',
      content: { order: key },
      request: () => ({ method: 'POST', url, headers: {}, body: '{}' }),
      lookup: ({ idempotencyKey }) => ({
        method: 'GET',
        url: `${url}?idempotencyKey=${encodeURIComponent(idempotencyKey)}`,
        headers: {},
      }),
      ...call,
    },
  );
}

export type StoredEffect = {
  readonly effectId: string;
  readonly key: string;
  readonly status: string;
  readonly attempts: number;
  readonly response: { readonly status: number; readonly body: string } | null;
  readonly leased: boolean;
  readonly redriveCount: number;
};

/** The rows of an effect key: the first, and what came after a refusal. */
export async function effectsOf(sql: Sql, { key }: Run): Promise<StoredEffect[]> {
  return await sql<StoredEffect[]>`
    select effect_id as "effectId", effect_key as key, status, attempts, response,
           coalesce(lease_until > now(), false) as leased, redrive_count as "redriveCount"
    from external_effects where effect_key = ${key} or starts_with(effect_key, ${`${key}#`})
    order by effect_key`;
}

/** Waits out a lease that a dead attempt left, by the database's clock. */
export async function leaseOver(sql: Sql, { key }: Run): Promise<void> {
  await sql`
    update external_effects set lease_until = now() - interval '1 hour'
    where effect_key = ${key} and status = 'CALLING'`;
}

/** What an attempt threw, as a task would report it: its class and code. */
export async function failureOf(attempted: Promise<unknown>): Promise<string> {
  try {
    await attempted;
    return 'success';
  } catch (error) {
    const { name, code } = classify(error);
    if (code === 'TASK_FAULT') throw error;
    return `${name} ${code}`;
  }
}
