import { newEnvelope, type Envelope } from '../../jobs/envelope.ts';
import { type JobId, newJobId, type TenantId } from '../../jobs/ids.ts';
import type { Sql } from '../../jobs/store/connect.ts';

export type SeededJob = {
  readonly jobId: JobId;
  readonly tenantId: TenantId;
  readonly type: string;
  readonly envelope: Envelope<'JobRequested'>;
};

type Wanted = {
  readonly type?: string;
  readonly tenantId?: string;
  readonly input?: Record<string, unknown>;
  readonly status?: 'PENDING' | 'RUNNING' | 'FAILED' | 'CANCELLED';
  readonly redriveCount?: number;
};

/** A job as POST leaves it, or further on its way, with the message that asks for its execution. */
export async function seedJob(sql: Sql, wanted: Wanted = {}): Promise<SeededJob> {
  const { type = 'document-metadata', input = {}, status = 'PENDING', redriveCount = 0 } = wanted;
  const tenantId = (wanted.tenantId ?? 'acme') as TenantId;
  const jobId = newJobId();
  const failure = { code: 'TASK_FAULT', message: 'seeded', retryable: false, state: null };
  await sql`
    insert into jobs (job_id, tenant_id, type, status, execution_name, redrive_count, input, request_hash,
                      correlation_id, failure, finished_at, owner_until)
    values (${jobId}, ${tenantId}, ${type}, ${status}, ${jobId}, ${redriveCount}, ${sql.json(input as never)},
            ${'0'.repeat(64)}, 'seed', ${status === 'FAILED' ? sql.json(failure) : null},
            ${status === 'FAILED' || status === 'CANCELLED' ? sql`now()` : null}, now() + interval '5 minutes')`;
  const envelope = newEnvelope({
    messageType: 'JobRequested',
    payload: { jobId, tenantId, type, run: 1, executionName: jobId, redriveCount },
    idempotencyKey: `start:${jobId}:1`,
    producer: 'api',
    correlationId: 'seed',
    occurredAt: new Date(),
  }) as Envelope<'JobRequested'>;
  return { jobId, tenantId, type, envelope };
}

/** Puts the message of a job into the outbox, due at once. */
export async function seedOutbox(
  sql: Sql,
  { jobId, tenantId, envelope }: SeededJob,
): Promise<void> {
  await sql`
    insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope)
    values (${envelope.messageId}, ${tenantId}, 'job-requests', ${envelope.messageType}, ${jobId}, ${sql.json(envelope)})`;
}
