import { Type } from 'typebox';
import { readQueueDepths } from '../../../jobs/queue-status.ts';
import { countInbox, oldestUnreceivedSeconds } from '../../../jobs/store/inbox-counts.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { orNull, problemResponses } from '../../schemas.ts';
import { findWorkers } from '../../../jobs/store/workers.ts';
import { representWorker, worker } from './worker-schema.ts';

const response = Type.Object({
  queues: Type.Array(
    Type.Object({
      name: Type.String(),
      visible: Type.Integer(),
      inFlight: Type.Integer(),
      delayed: Type.Integer(),
      oldestSeconds: orNull(
        Type.Number({
          description: 'how long its oldest message has waited; null where not known',
        }),
      ),
    }),
  ),
  inbox: Type.Object({
    lastHour: Type.Integer(),
    duplicates: Type.Integer({ description: 'deliveries beyond the first, made one' }),
    processing: Type.Integer(),
    failedRetryable: Type.Integer(),
    failedTerminal: Type.Integer(),
  }),
  workers: Type.Array(worker),
});

/** GET /ops/queues: how deep, how old, and who works on them. */
export function getQueues(api: Api, { sql, operations }: RouteDeps): void {
  api.get(
    '/ops/queues',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'getQueues',
        tags: ['operations'],
        summary: 'See the queues, the inbox and the workers',
        response: { 200: response, ...problemResponses },
      },
    },
    async () => {
      const [depths, oldest, inbox, workers] = await Promise.all([
        readQueueDepths(operations.sqs, operations.queues),
        oldestUnreceivedSeconds(sql),
        countInbox(sql),
        findWorkers(sql),
      ]);
      return {
        queues: depths.map((depth) => ({
          ...depth,
          oldestSeconds: depth.name === 'job-requests' ? oldest : null,
        })),
        inbox,
        workers: workers.map(representWorker),
      };
    },
  );
}
