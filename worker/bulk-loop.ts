import { type BulkDeps, turnBulkOperations } from '../jobs/bulk-operation.ts';
import { type Loop, repeat } from './repeat.ts';

/** Short enough for an even pace, long enough to cost nothing while there is no bulk operation. */
const intervalMs = 250;

/** Keeps the pace of the bulk operations; every worker may run it, and they keep one pace together. */
export const bulkLoop = (deps: BulkDeps): Loop =>
  repeat(
    'bulk operations',
    intervalMs,
    async () => {
      await turnBulkOperations(deps);
    },
    deps.log,
  );
