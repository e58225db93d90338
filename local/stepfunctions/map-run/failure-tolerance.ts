import type { MapRunLimits, StatusCount } from '../store/map-runs.ts';

/** How many children a Map Run has by what became of them, kept while it runs. */
export type Tally = {
  /** Of all children and of their items. */
  total: { executions: number; items: number };
  byStatus: Map<string, { executions: number; items: number }>;
};

const UNSUCCESSFUL = ['FAILED', 'TIMED_OUT', 'ABORTED'];

export function tallyOf(counts: readonly StatusCount[]): Tally {
  const tally: Tally = { total: { executions: 0, items: 0 }, byStatus: new Map() };
  for (const { status, executions, items } of counts) {
    tally.byStatus.set(status, { executions, items });
    tally.total.executions += executions;
    tally.total.items += items;
  }
  return tally;
}

/** A child goes from one status to another. */
export function move({ byStatus }: Tally, from: string, to: string, items: number): void {
  const add = (status: string, sign: 1 | -1): void => {
    const present = byStatus.get(status) ?? { executions: 0, items: 0 };
    byStatus.set(status, {
      executions: present.executions + sign,
      items: present.items + sign * items,
    });
  };
  add(from, -1);
  add(to, 1);
}

/**
 * Whether more items have failed than are tolerated. Either threshold trips; without any, no item
 * may fail. Items are counted, not batches.
 * https://docs.aws.amazon.com/step-functions/latest/dg/state-map-distributed.html
 */
export function isToleranceExceeded({ byStatus, total }: Tally, limits: MapRunLimits): boolean {
  const failed = UNSUCCESSFUL.reduce((sum, status) => sum + (byStatus.get(status)?.items ?? 0), 0);
  if (failed === 0) return false;
  const { toleratedFailureCount: count, toleratedFailurePercentage: percentage } = limits;
  if (count === undefined && percentage === undefined) return true;
  if (count !== undefined && failed > count) return true;
  return percentage !== undefined && failed * 100 > percentage * total.items;
}
