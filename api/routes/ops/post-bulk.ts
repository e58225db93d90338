import { Type } from 'typebox';
import { v7 } from 'uuid';
import { type BulkVerb, readBulkFilter } from '../../../jobs/bulk-filter.ts';
import { findBulk, insertBulk } from '../../../jobs/store/bulk-operations.ts';
import { collectBulk } from '../../../jobs/store/collect-bulk.ts';
import { countMatching } from '../../../jobs/store/count-matching.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { actorOf } from '../../authenticate.ts';
import { Problem } from '../../problems.ts';
import { jobType, problemResponses, queryTime, status } from '../../schemas.ts';
import { ineligible, ratePerSecond } from './bulk-schema.ts';
import { reason } from './operator-reason.ts';

/** So many pages of jobs are listed before the answer, which then mostly has the whole total; workers list the rest. */
const pagesAtOnce = 20;
const defaultRate = 10;

const filter = Type.Object(
  {
    status: Type.Optional(status),
    type: Type.Optional(jobType),
    code: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Z_]+$' })),
    failureText: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[^\\x00]+$',
        description: 'any part of the failure’s message, in either case',
      }),
    ),
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
  {
    additionalProperties: false,
    description: 'without a status: the FAILED jobs to redrive, the open ones to cancel',
  },
);

const wish = {
  filter,
  dryRun: Type.Optional(Type.Boolean({ description: 'count only' })),
  ratePerSecond: Type.Optional(ratePerSecond),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })),
  reason: Type.Optional(reason),
};
const cancelBody = Type.Object(wish, { additionalProperties: false });
const redriveBody = Type.Object(
  { ...wish, mode: Type.Optional(Type.Enum(['resume', 'restart', 'auto'])) },
  { additionalProperties: false },
);

const operations = [
  {
    verb: 'redrive',
    body: redriveBody,
    operationId: 'redriveJobs',
    summary: 'Redrive all jobs that match, at a pace',
  },
  {
    verb: 'cancel',
    body: cancelBody,
    operationId: 'cancelJobs',
    summary: 'Cancel all jobs that match, at a pace',
  },
] as const satisfies readonly { readonly verb: BulkVerb; readonly [member: string]: unknown }[];

/** POST /jobs/redrive and POST /jobs/cancel: does it to all jobs that match, at a pace; the workers keep it. */
export function postBulk(api: Api, { sql, registry }: RouteDeps): void {
  for (const { verb, body, operationId, summary } of operations) {
    api.post(
      `/jobs/${verb}`,
      {
        config: { scope: 'ops' },
        schema: {
          operationId,
          tags: ['operations'],
          summary,
          description: `With dryRun it only counts. Else name and reason are required. Default pace: ${defaultRate} a second. There may be any number of jobs: while \`collecting\` is true more of those that matched are being listed, and \`total\` grows.`,
          body,
          response: {
            200: Type.Object({ matched: Type.Integer(), eligible: Type.Integer(), ineligible }),
            202: Type.Object({
              bulkId: Type.String(),
              total: Type.Integer(),
              collecting: Type.Boolean(),
              links: Type.Object({ self: Type.String() }),
            }),
            ...problemResponses,
          },
        },
      },
      async (request, reply) => {
        const { dryRun = false, name, reason: why } = request.body;
        const mode =
          verb === 'cancel'
            ? null
            : 'mode' in request.body
              ? (request.body.mode ?? 'auto')
              : 'auto';
        const knownTypes = [...registry.keys()];
        if (dryRun) {
          const asked = readBulkFilter(request.body.filter);
          const counted = await countMatching(sql, { verb, filter: asked, mode, knownTypes });
          return reply.code(200).send({ ...counted, ineligible: [...counted.ineligible] });
        }
        if (name === undefined || why === undefined) throw nameAndReasonWanted(name, why);
        const bulkId = v7();
        await insertBulk(sql, {
          bulkId,
          verb,
          name,
          reason: why,
          actor: actorOf(request),
          filter: request.body.filter,
          mode,
          ratePerSecond: request.body.ratePerSecond ?? defaultRate,
        });
        let pages = 0;
        while (pages < pagesAtOnce && (await collectBulk(sql, knownTypes, bulkId))) pages += 1;
        const { total = 0, collecting = true } = (await findBulk(sql, bulkId)) ?? {};
        const self = `/ops/bulk/${bulkId}`;
        return reply
          .code(202)
          .header('location', self)
          .send({ bulkId, total, collecting, links: { self } });
      },
    );
  }
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
