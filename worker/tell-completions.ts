import type { Logger } from 'pino';
import { Webhook } from 'standardwebhooks';
import { backoffMs } from '../jobs/backoff.ts';
import { canonicalHash } from '../jobs/canonical-json.ts';
import { storableText } from '../jobs/failure.ts';
import {
  beginCompletion,
  claimCompletions,
  closeDoneCompletion,
  type Completion,
  completionEffectKey,
  type Delivery,
  recordDelivery,
} from '../jobs/store/completions.ts';
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

const batch = 20;
/** From seconds to hours, for three days: a receiver may be away over a weekend. */
const backoff = { firstMs: 5_000, capMs: 4 * 3_600_000 };
const patienceHours = 72;

/** Tells the receivers of what is due; 'again' where there may be more. */
export async function tellCompletions(deps: CompletionDeps): Promise<'again' | void> {
  const due = await claimCompletions(deps.sql, batch);
  await Promise.all(
    due.map(async (completion) => {
      try {
        await tell(deps, completion);
      } catch (error) {
        // The row stays claimed until its lease ends; then it is tried again.
        deps.log.error(
          { err: error, jobId: completion.payload.jobId },
          'a completion could not be recorded',
        );
      }
    }),
  );
  if (due.length === batch) return 'again';
}

async function tell(deps: CompletionDeps, completion: Completion): Promise<void> {
  const lease = await beginCompletion(deps.sql, completion, canonicalHash(completion.payload));
  if (lease === undefined) return await closeDoneCompletion(deps.sql, completion);
  const secrets = await webhookSecrets(deps.sql, completion.tenantId);
  const request = signedRequest(
    completion,
    secrets.map(({ secret }) => secret),
    deps.clock(),
  );
  const answer = await postCallback(request, deps.allowPrivate);
  const delivery = meaning(answer, completion, deps.random);
  await recordDelivery(deps.sql, completion, lease, delivery);
  const { jobId } = completion.payload;
  if (delivery.kind !== 'delivered')
    deps.log.warn({ jobId, ...delivery }, 'a completion was not taken');
}

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
function meaning(
  answer: CallbackAnswer,
  { attempts, ageHours }: Completion,
  random: () => number,
): Delivery {
  if (answer.kind === 'answered' && answer.status >= 200 && answer.status < 300) {
    return { kind: 'delivered', status: answer.status };
  }
  const why = storableText(
    answer.kind === 'failed' ? answer.why : `the receiver answered ${answer.status}`,
    1024,
  );
  if ((answer.kind === 'answered' && answer.status === 410) || ageHours >= patienceHours) {
    return { kind: 'given-up', why };
  }
  const asked = answer.kind === 'answered' ? Number(answer.retryAfter ?? NaN) * 1000 : NaN;
  const ownMs = backoffMs(attempts, backoff, random);
  const retryInMs = Number.isFinite(asked)
    ? Math.min(Math.max(asked, ownMs), backoff.capMs)
    : ownMs;
  return { kind: 'later', why, retryInMs };
}
