import { type Static, Type } from 'typebox';
import type { BulkView, Count } from '../../../jobs/store/bulk-operations.ts';
import { orNull, time } from '../../schemas.ts';

export const ineligible = Type.Array(
  Type.Object({ reason: Type.String(), count: Type.Integer() }),
  { description: 'matched, and left out: why, and how many' },
);

/** Jobs a second; at 1 and below they are evenly spaced. */
export const ratePerSecond = Type.Number({ minimum: 0.01, maximum: 500 });

/** A bulk redrive or cancel as operators see it. */
export const bulk = Type.Object({
  bulkId: Type.String(),
  operation: Type.String({ description: 'redrive or cancel' }),
  name: Type.String(),
  reason: Type.String(),
  actor: Type.String(),
  filter: Type.Record(Type.String(), Type.Unknown()),
  mode: orNull(Type.String({ description: 'of a redrive' })),
  ratePerSecond: Type.Number(),
  status: Type.String({ description: 'RUNNING, PAUSED, COMPLETED or CANCELLED' }),
  collecting: Type.Boolean({
    description: 'jobs that matched are still being listed: total grows',
  }),
  total: Type.Integer({ description: 'the jobs that matched when it was started' }),
  done: Type.Integer({ description: 'redriven, or cancelled' }),
  skipped: Type.Integer({ description: 'had moved on before their turn came' }),
  waiting: Type.Integer(),
  ineligible,
  createdAt: time,
  endedAt: orNull(time),
  links: Type.Object({ self: Type.String() }),
});

const counts = Type.Record(Type.String(), Type.Integer());

export const bulkWithOutcomes = Type.Object({
  ...bulk.properties,
  skippedBecause: counts,
  statuses: Type.Record(Type.String(), Type.Integer(), {
    description: 'how the jobs that are done stand now',
  }),
});

export const representBulk = (view: BulkView): Static<typeof bulk> => ({
  ...view,
  filter: { ...view.filter },
  waiting: view.total - view.done - view.skipped,
  ineligible: [...view.ineligible],
  createdAt: view.createdAt.toISOString(),
  endedAt: view.endedAt?.toISOString() ?? null,
  links: { self: `/ops/bulk/${view.bulkId}` },
});

export const representCounts = (found: readonly Count[]): Static<typeof counts> =>
  Object.fromEntries(found.map(({ name, count }) => [name, count]));
