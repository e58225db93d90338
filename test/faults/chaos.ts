import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { faultsOf, moodOf, strike } from './chaos-faults.ts';
import { type Accepted, comeToRest, violations } from './invariants.ts';
import type { Lab } from './lab.ts';
import { between, randomOf } from './random.ts';
import { probe, textOf } from './scenarios.ts';

export type ChaosOptions = {
  readonly seed: number;
  readonly jobs: number;
  /** How long faults strike; the jobs are submitted over this time. */
  readonly seconds: number;
  /** How long all may take to come to rest after the last fault. */
  readonly restSeconds: number;
};

export type ChaosReport = {
  readonly faults: ReadonlyMap<string, number>;
  readonly endings: ReadonlyMap<string, number>;
  readonly duplicates: number;
  readonly providerCalls: number;
  readonly works: number;
  readonly restedAfterSeconds: number;
  /** Jobs whose retries did not outlast the faults: FAILED, retryable; redriven when all was well again. */
  readonly redriven: number;
  readonly violations: readonly string[];
};

type Plan = {
  readonly key: string;
  readonly atMs: number;
  readonly request: unknown;
  readonly endsAs: readonly string[];
  readonly text: string | undefined;
  readonly cancelAfterMs: number | undefined;
  readonly duplicateAfterMs: number | undefined;
};

/** Submits jobs while faults strike, lets all come to rest, and looks whether what must always hold has held. */
export async function runChaos(lab: Lab, options: ChaosOptions): Promise<ChaosReport> {
  const { seed, seconds, restSeconds } = options;
  let over = false;
  lab.provider.behave(moodOf(seed, () => over));
  const document = await uploadDocument(lab);
  const plans = plansOf(options, document);
  const startedAt = performance.now();
  const striking = strike(lab, faultsOf(seed, seconds));
  const submitting = Promise.allSettled(plans.map((plan) => carryOut(lab, plan, startedAt)));
  const faults = await striking;
  over = true;
  const stoppedAt = performance.now();
  const outcomes = await submitting;
  const accepted = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = outcomes.flatMap((one) =>
    one.status === 'rejected' ? [String(one.reason)] : [],
  );
  const restless = await hurryToRest(lab, restSeconds * 1_000);
  const restedAfterSeconds = Math.round((performance.now() - stoppedAt) / 1_000);
  const redriven = await redriveRetryable(lab);
  if (redriven > 0) restless.push(...(await hurryToRest(lab, restSeconds * 1_000)));
  const wrong = await violations(lab, { accepted, secrets: ['the bytes of'] });
  const endings = await lab.sql<{ status: string; count: number }[]>`
    select status || coalesce(' ' || (failure ->> 'code'), '') as status, count(*)::integer as count
    from jobs group by 1 order by 2 desc`;
  return {
    faults,
    endings: new Map(endings.map(({ status, count }) => [status, count])),
    duplicates: plans.filter(({ duplicateAfterMs }) => duplicateAfterMs !== undefined).length,
    providerCalls: lab.provider.requests.length,
    works: lab.provider.works.size,
    restedAfterSeconds,
    redriven,
    violations: [...refused, ...restless, ...wrong],
  };
}

/** The same jobs for the same seed: most are probes, some ordered, cancelled, refused; every twentieth a real document. */
function plansOf({ seed, jobs, seconds }: ChaosOptions, payloadRef: unknown): Plan[] {
  return Array.from({ length: jobs }, (_, index): Plan => {
    const random = randomOf(seed, `job ${index}`);
    const dice = random();
    const isDocument = index % 20 === 19;
    const key = `${dice > 0.97 && !isDocument ? 'refused' : 'job'}-${seed}-${index}`;
    const cancelled = !isDocument && dice < 0.05;
    const ordered = dice > 0.9 && dice < 0.95 ? { orderingKey: `key-${index % 4}` } : {};
    return {
      key,
      atMs: between(random, 0, seconds * 950),
      request: isDocument
        ? { type: 'document-metadata', input: { documentId: key, version: 1 }, payloadRef }
        : probe(key, ordered),
      endsAs: endsOf(key, cancelled),
      text: isDocument ? undefined : textOf(key),
      cancelAfterMs: cancelled ? between(random, 0, 2_000) : undefined,
      duplicateAfterMs: random() < 0.1 ? between(random, 0, 4_000) : undefined,
    };
  });
}

function endsOf(key: string, cancelled: boolean): string[] {
  return [key.startsWith('refused') ? 'FAILED' : 'SUCCEEDED', ...(cancelled ? ['CANCELLED'] : [])];
}

async function carryOut(lab: Lab, plan: Plan, startedAt: number): Promise<Accepted> {
  await delay(Math.max(0, plan.atMs - (performance.now() - startedAt)));
  const jobId = await lab.submit(plan.request, plan.key);
  await Promise.all([duplicateLater(lab, plan, jobId), cancelLater(lab, plan, jobId)]);
  const { endsAs, text } = plan;
  return { jobId, endsAs, ...(text === undefined ? {} : { text }) };
}

async function cancelLater(lab: Lab, { cancelAfterMs }: Plan, jobId: string): Promise<void> {
  if (cancelAfterMs === undefined) return;
  await delay(cancelAfterMs);
  await lab.call(`/jobs/${jobId}/cancel`, { method: 'POST' });
}

/** The queue delivers the message once more, some time later and so out of order. */
async function duplicateLater(lab: Lab, { duplicateAfterMs }: Plan, jobId: string): Promise<void> {
  if (duplicateAfterMs === undefined) return;
  await delay(duplicateAfterMs);
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline) {
    try {
      const [row] = await lab.sql<{ envelope: unknown }[]>`
        select envelope from outbox
        where job_id = ${jobId} and destination = 'job-requests' and published_at is not null limit 1`;
      // What was never sent cannot be delivered twice: a job of an ordering key waits for its turn.
      if (row === undefined) throw new Error('not sent yet');
      const QueueUrl = lab.pawl.runtime().queues.jobRequests;
      await lab.sqs.send(
        new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(row.envelope) }),
      );
      return;
    } catch {
      await delay(200); // not sent yet, or the database or the queue is down just now
    }
  }
}

/** Time compressed: nobody waits minutes until an owner's time is over. Gives what did not come to rest. */
async function hurryToRest(lab: Lab, timeoutMs: number): Promise<string[]> {
  const deadline = performance.now() + timeoutMs;
  for (let looks = 1; ; looks += 1) {
    try {
      await comeToRest(lab, Math.min(3_000, Math.max(1, deadline - performance.now())));
      return [];
    } catch (error) {
      if (performance.now() > deadline) return [String(error)];
    }
    // An open job is left alone for longer: its message may wait in a backlog.
    const alsoOpen = looks % 5 === 0;
    await lab.sql`
      update jobs set owner_until = now()
      where owner_until > now() and (${alsoOpen} or status not in ('PENDING', 'RUNNING'))`;
  }
}

/** What says of itself that a redrive may well succeed is redriven, and must succeed. */
async function redriveRetryable(lab: Lab): Promise<number> {
  const failed = await lab.sql<{ jobId: string }[]>`
    select job_id as "jobId" from jobs
    where status = 'FAILED' and (failure ->> 'retryable')::boolean`;
  for (const { jobId } of failed)
    await lab.call(`/jobs/${jobId}/redrive`, { method: 'POST', body: {} });
  return failed.length;
}

async function uploadDocument(lab: Lab): Promise<unknown> {
  const bytes = Buffer.from('name,city,age\nSari,Bandung,31\nBudi,Medan,44\n');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const body = { sha256, size: bytes.length, contentType: 'text/csv' };
  const answer = await lab.call('/uploads', { method: 'POST', key: 'client', body });
  const upload = answer.body as {
    uploadUrl: string;
    headers: Record<string, string>;
    payloadRef: unknown;
  };
  const headers = Object.fromEntries(
    Object.entries(upload.headers).filter(([name]) => name.toLowerCase() !== 'content-length'),
  );
  const put = await fetch(upload.uploadUrl, {
    method: 'PUT',
    headers,
    body: new Uint8Array(bytes),
  });
  if (!put.ok) throw new Error(`PUT answered ${put.status}: ${await put.text()}`);
  return upload.payloadRef;
}

/** The report as lines for a person. */
export function describeReport(options: ChaosOptions, report: ChaosReport): string[] {
  const list = (counts: ReadonlyMap<string, number>): string =>
    [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
  return [
    `seed ${options.seed}: ${options.jobs} jobs in ${options.seconds} s of faults, at rest ${report.restedAfterSeconds} s later`,
    `  faults: ${list(report.faults)}; ${report.duplicates} messages doubled`,
    `  jobs: ${list(report.endings)}`,
    `  provider: ${report.providerCalls} calls, ${report.works} works; ${report.redriven} jobs redriven at the end`,
    `  violations: ${report.violations.length}`,
    ...report.violations.slice(0, 40).map((violation) => `    - ${violation}`),
  ];
}
