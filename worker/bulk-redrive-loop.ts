import { type BulkDeps, turnBulkRedrives } from '../jobs/bulk-redrive.ts';
import { type Loop, repeat } from './repeat.ts';

/** Short enough for an even pace, long enough to cost nothing while there is no bulk redrive. */
const intervalMs = 250;

/** Keeps the pace of the bulk redrives; every worker may run it, and they keep one pace together. */
export const bulkRedriveLoop = (deps: BulkDeps): Loop =>
  repeat(
    'bulk redrive',
    intervalMs,
    async () => {
      await turnBulkRedrives(deps);
    },
    deps.log,
  );
