import type { Logger } from 'pino';
import { Webhook } from 'standardwebhooks';
import { backoffMs } from '../jobs/backoff.ts';
import { canonicalHash } from '../jobs/canonical-json.ts';
import { classify, databaseVerdict } from '../jobs/classify.ts';
import type { CallOutcome } from '../jobs/effect-decisions.ts';
import { type EffectTiming, withEffect } from '../jobs/effect-log.ts';
import { storableText, Terminal } from '../jobs/failure.ts';
import { closeCompletion, type Completion, putOffCompletion } from '../jobs/store/completions.ts';
import type { Sql } from '../jobs/store/connect.ts';
import { webhookSecrets } from '../jobs/store/webhook-secrets.ts';
import { type CallbackAnswer, type CallbackRequest, postCallback } from './callback-client.ts';

export type CompletionDeps = {
  readonly sql: Sql;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly random: () => number;
  /** Whether callbacks may go to private and loopback addresses: on one machine and in tests. */
  readonly allowPrivate: boolean;
};

/** From seconds to hours, for three days: a receiver may be away over a weekend. */
const backoff = { firstMs: 5_000, capMs: 4 * 3_600_000 };
const patienceHours = 72;

/** Standard Webhooks: a receiver has 15 to 30 seconds. The message's own lease (60 s) outlives all of it. */
const timing: EffectTiming = {
  leaseMs: 25_000,
  callTimeoutMs: 20_000,
  settleMs: 0,
  jitterMs: 0,
};

/**
 * Tells a receiver once in effect that a job is final: by the effect log, under the key of the job's run. What is
 * not taken is put off, for three days.
 */
export async function tellCompletion(deps: CompletionDeps, completion: Completion): Promise<void> {
  const { sql, log } = deps;
  const { jobId } = completion.payload;
  try {
    await deliver(deps, completion);
    await closeCompletion(sql, completion, null);
  } catch (error) {
    const failure = classify(error);
    // Nothing is known of the delivery. The message stays claimed until its lease ends; then it is tried again.
    if (databaseVerdict(failure.cause) !== undefined) throw failure;
    const why = storableText(failure.message, 1024);
    if (failure instanceof Terminal) {
      await closeCompletion(sql, completion, why);
      log.warn({ jobId, code: failure.code, why }, 'a completion is given up');
      return;
    }
    const ownMs = backoffMs(completion.attempts, backoff, deps.random);
    const askedMs = (failure.retryAfterSeconds ?? 0) * 1_000;
    const retryInMs = Math.max(ownMs, askedMs);
    await putOffCompletion(sql, completion, why, retryInMs);
    log.warn({ jobId, why, retryInMs }, 'a completion was not taken');
  }
}

async function deliver(deps: CompletionDeps, completion: Completion): Promise<void> {
  const { sql, clock, allowPrivate } = deps;
  const { tenantId, payload, executionName, redriveCount } = completion;
  const secrets = (await webhookSecrets(sql, tenantId)).map(({ secret }) => secret);
  const effect = {
    fence: { jobId: payload.jobId, executionName, redriveCount },
    tenantId,
    key: completionEffectKey(completion),
    provider: 'callback',
    operation: 'job-completed',
    policy: 'repeat',
    requestHash: canonicalHash(payload),
    // The job is final, and may be redriven meanwhile: the run in the key takes the fence's place.
    outlivesJob: true,
  } as const;
  await withEffect({ sql, timing }, effect, {
    call: async ({ signal }) => {
      const request = signedRequest(completion, secrets, clock());
      const answer = await postCallback(request, { allowPrivate, signal });
      return meaning(answer, completion.ageHours);
    },
  });
}

const completionEffectKey = ({ payload }: Completion): string =>
  `job:${payload.jobId}:${payload.run}:callback`;

/**
 * As https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md has it: the id is the
 * same for every attempt, the timestamp is the attempt's, each secret that is valid signs. The body names the job and
 * how it ended; the result is fetched with GET /jobs/:jobId.
 */
function signedRequest(
  completion: Completion,
  secrets: readonly string[],
  now: Date,
): CallbackRequest {
  const { jobId, type, run, status, finishedAt } = completion.payload;
  const id = completionEffectKey(completion);
  const body = JSON.stringify({
    type: `job.${status.toLowerCase()}`,
    timestamp: new Date(finishedAt).toISOString(),
    data: {
      jobId,
      type,
      run,
      status,
      links: { self: `/jobs/${jobId}`, result: `/jobs/${jobId}/result` },
    },
  });
  return {
    url: completion.url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'pawl',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': secrets
        .map((secret) => new Webhook(secret).sign(id, now, body))
        .join(' '),
    },
  };
}

/** 2xx: told. 410: the receiver wants no more. Anything else is tried again, for three days. */
function meaning(answer: CallbackAnswer, ageHours: number): CallOutcome {
  const isOver = ageHours >= patienceHours;
  if (answer.kind === 'failed') {
    const { why: message, sent } = answer;
    if (isOver) return { kind: 'refused', message, response: null };
    return { kind: sent ? 'unknown' : 'not-done', message };
  }
  const { status, retryAfterSeconds } = answer;
  const message = `the receiver answered ${status}`;
  const response = { status, body: '' };
  if (status >= 200 && status < 300)
    return { kind: 'done', completion: { reference: null, response } };
  if (status === 410 || isOver) return { kind: 'refused', message, response };
  if (retryAfterSeconds !== undefined) return { kind: 'not-done', message, retryAfterSeconds };
  return { kind: status >= 500 || status === 408 ? 'unknown' : 'not-done', message };
}
