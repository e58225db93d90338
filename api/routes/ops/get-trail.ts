import { Type } from 'typebox';
import {
  findJobRequest,
  findTrailEvents,
  findTrailMessages,
} from '../../../jobs/store/job-trail.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { findRequestedJob, jobNotFound } from '../../find-requested-job.ts';
import { jobParams, orNull, problemResponses, time } from '../../schemas.ts';

const text = orNull(Type.String());
const when = orNull(time);

const response = Type.Object({
  request: Type.Object({
    tenantId: Type.String(),
    idempotencyKey: text,
    requestHash: Type.String(),
    correlationId: Type.String(),
    traceparent: text,
    orderingKey: text,
    uniqueKey: text,
    callbackUrl: text,
    tags: Type.Record(Type.String(), Type.String()),
    input: Type.Unknown(),
    payloadRef: Type.Unknown({ description: 'what the client said the payload is; null: none' }),
    payloadPin: Type.Unknown({ description: 'what validation saw; null: not validated yet' }),
    notBefore: when,
    expiresAt: when,
    ownerUntil: when,
  }),
  events: Type.Array(
    Type.Object({
      eventNo: Type.String(),
      run: Type.Integer(),
      at: time,
      actor: Type.String(),
      from: text,
      to: Type.String(),
      reason: Type.String(),
    }),
    { description: 'each arrow the job took, oldest first: who, when, from, to, why' },
  ),
  messages: Type.Array(
    Type.Object({
      messageId: Type.String(),
      messageType: Type.String(),
      destination: Type.String(),
      createdAt: time,
      publishedAt: when,
      publishAttempts: Type.Integer(),
      lastError: text,
      receivedAt: when,
      deliveries: orNull(Type.Integer()),
      handledAt: when,
      inboxStatus: text,
      outcome: text,
    }),
    { description: 'from the outbox to what the dispatcher made of it, oldest first' },
  ),
});

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** GET /jobs/:jobId/trail: what was asked, and the way from the request over its messages to each run. */
export function getTrail(api: Api, { sql }: RouteDeps): void {
  api.get(
    '/jobs/:jobId/trail',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'getTrail',
        tags: ['operations'],
        summary: 'See the request of a job, its messages and its audit trail',
        params: jobParams,
        response: { 200: response, ...problemResponses },
      },
    },
    async (request) => {
      const job = await findRequestedJob(sql, request);
      const [asked, events, messages] = await Promise.all([
        findJobRequest(sql, job.jobId),
        findTrailEvents(sql, job.jobId),
        findTrailMessages(sql, job.jobId, job.tenantId),
      ]);
      if (asked === undefined) throw jobNotFound();
      return {
        request: {
          ...asked,
          tags: { ...asked.tags },
          notBefore: iso(asked.notBefore),
          expiresAt: iso(asked.expiresAt),
          ownerUntil: iso(asked.ownerUntil),
        },
        events: events.map((event) => ({ ...event, at: event.at.toISOString() })),
        messages: messages.map((message) => ({
          ...message,
          createdAt: message.createdAt.toISOString(),
          publishedAt: iso(message.publishedAt),
          receivedAt: iso(message.receivedAt),
          handledAt: iso(message.handledAt),
        })),
      };
    },
  );
}
