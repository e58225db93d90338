import { Type } from 'typebox';
import { readRates } from '../../../jobs/store/load-figures.ts';
import { countArrows, countJobs } from '../../../jobs/store/overview-figures.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { orNull, problemResponses, time } from '../../schemas.ts';

const response = Type.Object({
  jobs: Type.Array(
    Type.Object({ type: Type.String(), status: Type.String(), count: Type.Integer() }),
    { description: 'all open ones, and the final ones that were accepted within `hours`' },
  ),
  arrows: Type.Object({
    minutes: Type.Integer({ description: 'the length of a span' }),
    spans: Type.Array(
      Type.Object({
        at: time,
        status: Type.String({ description: 'PENDING: accepted or redriven' }),
        code: orNull(Type.String()),
        count: Type.Integer(),
      }),
    ),
  }),
  rates: Type.Object({
    acceptedPerSecond: Type.Number(),
    acceptedPerSecondBefore: Type.Number(),
    endedPerSecond: Type.Number(),
  }),
  backlog: Type.Object({
    outbox: Type.Integer(),
    outboxOldestSeconds: Type.Number(),
    jobRequests: Type.Integer({ description: 'messages that nobody has received, as SQS counts' }),
    jobRequestsOldestSeconds: orNull(Type.Number()),
  }),
  deadLetters: Type.Integer(),
  quarantined: Type.Integer(),
  heldEffects: Type.Integer(),
  heldAnswers: Type.Integer({ description: 'of providers, which no job will read' }),
  ownerless: Type.Integer(),
});

const query = Type.Object(
  { hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 168, default: 24 })) },
  { additionalProperties: false },
);

/** GET /ops/overview: what stands where, and what happened lately; the figures are up to five seconds old. */
export function getOverview(api: Api, { sql, operations }: RouteDeps): void {
  api.get(
    '/ops/overview',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'getOverview',
        tags: ['operations'],
        summary: 'See jobs by status and type, what failed lately, and what waits for a person',
        querystring: query,
        response: { 200: response, ...problemResponses },
      },
    },
    async (request) => {
      const { hours = 24 } = request.query;
      // 48 spans whatever the range.
      const minutes = Math.max(1, Math.round((hours * 60) / 48));
      const [jobs, spans, rates, figures] = await Promise.all([
        countJobs(sql, hours),
        countArrows(sql, { hours, minutes }),
        readRates(sql),
        operations.figures(),
      ]);
      return {
        jobs: [...jobs],
        arrows: {
          minutes,
          spans: spans.map((span) => ({ ...span, at: span.at.toISOString() })),
        },
        rates,
        backlog: {
          outbox: figures.outbox.waiting,
          outboxOldestSeconds: figures.outbox.oldestSeconds,
          jobRequests: figures.queues.find(({ name }) => name === 'job-requests')?.visible ?? 0,
          jobRequestsOldestSeconds: figures.jobRequestsOldestSeconds,
        },
        deadLetters: figures.deadLetters,
        quarantined: figures.quarantined,
        heldEffects: figures.effects.byStatus['UNKNOWN'] ?? 0,
        heldAnswers: figures.heldAnswers,
        ownerless: figures.ownerless,
      };
    },
  );
}
