import { type Envelope, newEnvelope } from './envelope.ts';
import type { CallbackId, JobId, TenantId } from './ids.ts';

/** The run that waits, and whose words are in the message. */
type Waiting = {
  readonly callbackId: CallbackId;
  readonly tenantId: TenantId;
  readonly jobId: JobId;
  readonly jobType: string;
  readonly run: number;
  readonly executionName: string;
  readonly redriveCount: number;
  readonly correlationId: string;
};

/** The message that brings a stored answer to the state that waits for it; each is a request of its own. */
export function callbackMessage(waiting: Waiting, producer: 'api' | 'tasks'): Envelope {
  const { callbackId, tenantId, jobId, jobType, run, executionName, redriveCount } = waiting;
  const payload = { jobId, tenantId, type: jobType, run, executionName, redriveCount, callbackId };
  const occurredAt = new Date();
  const message = newEnvelope({
    messageType: 'TaskCallbackReceived',
    payload,
    idempotencyKey: `callback:${callbackId}`,
    producer,
    correlationId: waiting.correlationId,
    occurredAt,
  });
  return { ...message, idempotencyKey: `callback:${callbackId}:${message.messageId}` };
}
