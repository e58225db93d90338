import { removeOldBatch, type RetentionDeps } from '../jobs/retention.ts';
import { type Loop, repeat } from './repeat.ts';

/** How often is looked for what is old; while full batches come, one follows the other. */
const intervalMs = 60_000;

export const retentionLoop = (deps: RetentionDeps): Loop =>
  repeat(
    'retention',
    intervalMs,
    async () => ((await removeOldBatch(deps)) ? 'again' : undefined),
    deps.log,
  );
