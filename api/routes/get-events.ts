import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { isFinal } from '../../jobs/store/find-job.ts';
import { findStatusEvents } from '../../jobs/store/find-job-events.ts';
import type { Api, RouteDeps } from '../api.ts';
import { findRequestedJob } from '../find-requested-job.ts';
import { parseEventId, streamEvents } from '../stream-events.ts';
import { jobParams, problemResponses } from '../schemas.ts';

/** GET /jobs/:jobId/events: status and progress as they change, as server-sent events. */
export function getEvents(api: Api, { sql, watch, log }: RouteDeps): void {
  api.get(
    '/jobs/:jobId/events',
    {
      exposeHeadRoute: false,
      config: { scope: 'jobs:read' },
      schema: {
        operationId: 'streamJobEvents',
        tags: ['jobs'],
        summary: 'Follow a job',
        description:
          'Server-sent events: `status` `{jobId, status, run, at, final}` for each arrow the job has taken and takes, `progress` `{jobId, done, total, failed}`. ' +
          'The stream ends when the job is final. With Last-Event-ID it goes on where it was cut off.',
        params: jobParams,
        headers: Type.Object({
          'last-event-id': Type.Optional(
            Type.String({ description: 'the id of the last event seen' }),
          ),
        }),
        response: {
          200: {
            description: 'Events until the job is final',
            content: { 'text/event-stream': { schema: Type.Unsafe<Readable>({ type: 'string' }) } },
          },
          204: Type.Null({ description: 'The job is final and nothing is new: do not come again' }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const job = await findRequestedJob(sql, request);
      const seen = parseEventId(request.headers['last-event-id']);
      const missed = await findStatusEvents(sql, job.jobId, seen.eventNo);
      // 204 keeps an EventSource from connecting again (https://html.spec.whatwg.org/multipage/server-sent-events.html).
      if (isFinal(job.status) && missed.length === 0 && seen.revision >= job.revision) {
        return reply.code(204).send(null);
      }
      return reply
        .type('text/event-stream')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(streamEvents({ sql, watch, log }, job, seen));
    },
  );
}
