import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Logger } from 'pino';
import { backoffMs } from './backoff.ts';
import { crashPoint } from './crash-point.ts';
import { createMicroBatch } from './micro-batch.ts';
import { shareStatement } from './share-statement.ts';
import type { Sql } from './store/connect.ts';
import {
  firstLeaseSeconds,
  type OutboxRow,
  type PublishFailure,
  recordPublished,
  recordPublishFailures,
} from './store/outbox.ts';
import { startSpan } from './tracing.ts';

export type RelayDeps = {
  readonly sql: Sql;
  readonly sqs: SQSClient;
  readonly jobRequestsUrl: string;
  readonly log: Logger;
  readonly random?: () => number;
};

/** Brings outbox rows to SQS. A row may arrive twice, never not at all: what is not recorded is swept again. */
export type Relay = {
  /**
   * Takes a row that this process has just committed, or claimed for `leaseSeconds`; never throws and never waits.
   * A row whose turn comes after its lease is left out: by then it is the sweep's.
   */
  publishSoon(row: OutboxRow, leaseSeconds?: number): void;
  /** Resolves when all rows taken so far are published or recorded as failed. */
  drain(): Promise<void>;
};

/** SQS takes ten entries and 1 MiB a batch; our messages are under 2 KiB each. */
const maxBatch = 10;
/** While one is being sent, an incomplete one waits so long: a statement's twelve messages are not sent as ten and two. */
const companyMs = 3;
const backoff = { firstMs: 500, capMs: 60_000 };

export function createRelay(given: RelayDeps): Relay {
  const deps = { ...given, recordTogether: recorderOf(given.sql) };
  const recordings = new Set<Promise<void>>();
  const batch = createMicroBatch<Leased>({
    maxItems: maxBatch,
    maxInFlight: 4,
    early: true,
    companyMs,
    flush: async (leased) => {
      const rows = leased.filter(({ until }) => performance.now() < until).map(({ row }) => row);
      if (rows.length < leased.length) {
        deps.log.warn(
          { messages: leased.length - rows.length },
          'outbox rows were left to the sweep',
        );
      }
      if (rows.length === 0) return;
      crashPoint('before-send-message-batch');
      const errors = await send(deps, rows);
      crashPoint('after-send-message-batch');
      // The next batch may be sent meanwhile: a record waits for others, a message must not.
      const recording = record(deps, rows, errors)
        .catch((error: unknown) => {
          // The rows stay claimed until their lease ends; the sweep takes them then.
          const messages = rows.length;
          deps.log.error({ err: error, messages }, 'outbox rows could not be recorded');
        })
        .finally(() => recordings.delete(recording));
      recordings.add(recording);
    },
  });
  return {
    publishSoon: (row, leaseSeconds = firstLeaseSeconds) =>
      batch.add({ row, until: performance.now() + leaseSeconds * 1_000 }),
    async drain() {
      await batch.drain();
      await Promise.all(recordings);
    },
  };
}

type Publishing = RelayDeps & {
  readonly recordTogether: (rows: readonly OutboxRow[]) => Promise<void>;
};

/** Records what several batches have sent in one statement; nobody waits for it, and the rows' lease is seconds. */
const recorderOf = (sql: Sql) =>
  shareStatement<readonly OutboxRow[], void>({
    maxItems: 20,
    maxInFlight: 2,
    gatherMs: 100,
    together: async (batches) => {
      await recordPublished(sql, batches.flat());
      return batches.map(() => undefined);
    },
  });

/** `until` when it is this process's to send; milliseconds of performance.now(). */
type Leased = { readonly row: OutboxRow; readonly until: number };

async function record(
  deps: Publishing,
  rows: readonly OutboxRow[],
  errors: ReadonlyMap<number, string>,
): Promise<void> {
  const published = rows.filter((_, index) => !errors.has(index));
  const failures = [...errors].flatMap(([index, error]): PublishFailure[] => {
    const row = rows[index];
    if (row === undefined) return [];
    return [
      {
        messageId: row.messageId,
        attempts: row.attempts,
        error,
        retryInMs: backoffMs(row.attempts, backoff, deps.random ?? Math.random),
      },
    ];
  });
  if (published.length > 0) await deps.recordTogether(published);
  crashPoint('after-publish-recorded');
  if (failures.length > 0) {
    deps.log.warn(
      { failures: failures.length, error: failures[0]?.error },
      'messages were not taken by SQS',
    );
    await recordPublishFailures(deps.sql, failures);
  }
}

/** Sends one batch; gives the error of each entry that SQS did not take, by its index. HTTP 200 may hold failures. */
async function send(deps: RelayDeps, rows: readonly OutboxRow[]): Promise<Map<number, string>> {
  const spans = rows.map(({ traceparent, envelope }) =>
    startSpan('send job-requests', {
      parent: traceparent,
      kind: 'producer',
      attributes: {
        'pawl.message_type': envelope.messageType,
        'pawl.job_id': envelope.aggregateId,
      },
    }),
  );
  const errors = await sendBatch(
    deps,
    rows.map((row, index) => ({ ...row, traceparent: spans[index]?.traceparent ?? null })),
  );
  spans.forEach((span, index) => span.end(errors.get(index)));
  return errors;
}

async function sendBatch(
  deps: RelayDeps,
  rows: readonly OutboxRow[],
): Promise<Map<number, string>> {
  try {
    const answer = await deps.sqs.send(
      new SendMessageBatchCommand({ QueueUrl: deps.jobRequestsUrl, Entries: rows.map(toEntry) }),
    );
    const failed = answer.Failed ?? [];
    return new Map(
      failed.map((entry) => [Number(entry.Id), `${entry.Code}: ${entry.Message ?? ''}`]),
    );
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return new Map(rows.map((_, index) => [index, text]));
  }
}

const toEntry = (row: OutboxRow, index: number) => ({
  Id: String(index),
  MessageBody: JSON.stringify(row.envelope),
  // On a standard queue the group marks the tenant: one tenant's backlog does not hold up the others.
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
  MessageGroupId: row.tenantId,
  ...(row.traceparent === null
    ? {}
    : { MessageAttributes: { traceparent: { DataType: 'String', StringValue: row.traceparent } } }),
});
