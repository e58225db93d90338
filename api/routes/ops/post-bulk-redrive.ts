import { type Static, Type } from 'typebox';
import { v7 } from 'uuid';
import { insertBulk } from '../../../jobs/store/bulk-redrives.ts';
import { type BulkFilter, countMatching } from '../../../jobs/store/match-bulk.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { actorOf } from '../../authenticate.ts';
import { Problem } from '../../problems.ts';
import { jobType, problemResponses, queryTime, status } from '../../schemas.ts';
import { ineligible, ratePerSecond } from './bulk-schema.ts';
import { reason } from './operator-reason.ts';

/** So many jobs are stored in one statement within its time; more are redriven by narrower filters. */
const maxJobs = 100_000;
const defaultRate = 10;

const filter = Type.Object(
  {
    status: Type.Optional(status),
    type: Type.Optional(jobType),
    code: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Z_]+$' })),
    tag: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 321,
        pattern: '^[^\\x00]+$',
        description: '`name`, or `name:value`',
      }),
    ),
    createdAfter: Type.Optional(queryTime),
    createdBefore: Type.Optional(queryTime),
  },
  { additionalProperties: false, description: 'without a status: FAILED' },
);

const body = Type.Object(
  {
    filter,
    mode: Type.Optional(Type.Enum(['resume', 'restart', 'auto'])),
    dryRun: Type.Optional(Type.Boolean({ description: 'count only' })),
    ratePerSecond: Type.Optional(ratePerSecond),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })),
    reason: Type.Optional(reason),
  },
  { additionalProperties: false },
);

/** POST /jobs/redrive: redrives all jobs that match, at a pace; the worker keeps it. */
export function postBulkRedrive(api: Api, { sql, registry }: RouteDeps): void {
  api.post(
    '/jobs/redrive',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'redriveJobs',
        tags: ['operations'],
        summary: 'Redrive all jobs that match, at a pace',
        description: `With dryRun it only counts. Else name and reason are required. Default pace: ${defaultRate} a second.`,
        body,
        response: {
          200: Type.Object({ matched: Type.Integer(), eligible: Type.Integer(), ineligible }),
          202: Type.Object({
            bulkId: Type.String(),
            total: Type.Integer(),
            links: Type.Object({ self: Type.String() }),
          }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const { mode = 'auto', dryRun = false, name, reason: why } = request.body;
      const wish = {
        filter: filterOf(request.body.filter),
        mode,
        knownTypes: [...registry.keys()],
      };
      if (dryRun) {
        const { matched, eligible, ineligible: left } = await countMatching(sql, wish);
        return reply.code(200).send({ matched, eligible, ineligible: [...left] });
      }
      if (name === undefined || why === undefined) throw nameAndReasonWanted(name, why);
      const bulkId = v7();
      const { stored, total } = await insertBulk(sql, {
        ...wish,
        bulkId,
        name,
        reason: why,
        actor: actorOf(request),
        asked: request.body.filter,
        ratePerSecond: request.body.ratePerSecond ?? defaultRate,
        maxJobs,
      });
      if (!stored) {
        throw new Problem('too-many-jobs', {
          detail: `${total} jobs can be redriven, at most ${maxJobs} are in one go: narrow the filter, by createdBefore for example`,
        });
      }
      const self = `/ops/bulk/${bulkId}`;
      return reply.code(202).header('location', self).send({ bulkId, total, links: { self } });
    },
  );
}

function nameAndReasonWanted(name: unknown, why: unknown): Problem {
  const missing = [
    ...(name === undefined ? ['/name'] : []),
    ...(why === undefined ? ['/reason'] : []),
  ];
  return new Problem('invalid-request', {
    in: 'body',
    errors: missing.map((pointer) => ({ pointer, message: 'is required unless dryRun is true' })),
  });
}

const filterOf = ({ createdAfter, createdBefore, ...same }: Static<typeof filter>): BulkFilter => ({
  ...same,
  createdAfter: createdAfter === undefined ? undefined : new Date(createdAfter),
  createdBefore: createdBefore === undefined ? undefined : new Date(createdBefore),
});
