import { Type } from 'typebox';
import {
  type BulkChange,
  changeBulk,
  countBulkOutcomes,
  findBulk,
  listBulks,
} from '../../../jobs/store/bulk-operations.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { actorOf } from '../../authenticate.ts';
import { Problem } from '../../problems.ts';
import { orNull, problemResponses } from '../../schemas.ts';
import {
  bulk,
  bulkWithOutcomes,
  ratePerSecond,
  representBulk,
  representCounts,
} from './bulk-schema.ts';
import { reason } from './operator-reason.ts';

const params = Type.Object({ bulkId: Type.String({ maxLength: 100 }) });
const id = Type.String({ format: 'uuid' });
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const changeBody = Type.Object(
  { reason, ratePerSecond: Type.Optional(ratePerSecond) },
  { additionalProperties: false, description: '`ratePerSecond` changes the pace' },
);

const changes = {
  pause: { to: 'PAUSED', action: 'bulk.pause' },
  resume: { to: 'RUNNING', action: 'bulk.resume' },
  cancel: { to: 'CANCELLED', action: 'bulk.cancel' },
} as const satisfies Record<string, Pick<BulkChange, 'to' | 'action'>>;

/** GET /ops/bulk and /ops/bulk/:bulkId, POST /ops/bulk/:bulkId/pause, /resume and /cancel. */
export function bulkOperations(api: Api, { sql }: RouteDeps): void {
  const config = { scope: 'ops' } as const;
  const tags = ['operations'];
  const find = async (bulkId: string) => {
    const found = uuid.test(bulkId) ? await findBulk(sql, bulkId) : undefined;
    if (found === undefined) throw new Problem('bulk-operation-not-found');
    return found;
  };
  api.get(
    '/ops/bulk',
    {
      config,
      schema: {
        operationId: 'listBulkOperations',
        tags,
        summary: 'List bulk redrives and cancels, newest first',
        querystring: Type.Object(
          {
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
            cursor: Type.Optional(id),
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({
            bulkOperations: Type.Array(bulk),
            nextCursor: orNull(Type.String()),
          }),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { limit = 20, cursor } = request.query;
      const found = await listBulks(sql, { limit: limit + 1, before: cursor });
      const shown = found.slice(0, limit);
      return {
        bulkOperations: shown.map(representBulk),
        nextCursor: found.length > limit ? (shown.at(-1)?.bulkId ?? null) : null,
      };
    },
  );
  api.get(
    '/ops/bulk/:bulkId',
    {
      config,
      schema: {
        operationId: 'getBulkOperation',
        tags,
        summary: 'See how a bulk redrive or cancel gets on',
        params,
        response: { 200: bulkWithOutcomes, ...problemResponses },
      },
    },
    async (request) => {
      const found = await find(request.params.bulkId);
      const { skipped, statuses } = await countBulkOutcomes(sql, found.bulkId);
      return {
        ...representBulk(found),
        skippedBecause: representCounts(skipped),
        statuses: representCounts(statuses),
      };
    },
  );
  for (const [verb, change] of Object.entries(changes)) {
    api.post(
      `/ops/bulk/:bulkId/${verb}`,
      {
        config,
        schema: {
          operationId: `${verb}BulkOperation`,
          tags,
          summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} a bulk redrive or cancel`,
          params,
          body: changeBody,
          response: { 200: bulk, ...problemResponses },
        },
      },
      async (request) => {
        const { bulkId, status } = await find(request.params.bulkId);
        const changed = await changeBulk(sql, bulkId, {
          ...change,
          actor: actorOf(request),
          reason: request.body.reason,
          ratePerSecond: request.body.ratePerSecond,
        });
        if (changed === undefined) {
          throw new Problem('bulk-operation-ended', { detail: `it is ${status}` });
        }
        return representBulk(changed);
      },
    );
  }
}
