import { openRun, type OpenJob, type OpenRun } from '../../jobs/store/open-run.ts';

/** So long a job counts as read: no longer than a task may be at work after its own read of it. */
const rememberedMs = 1_000;
/** An input has up to 256 KiB. */
const maxRemembered = 100;

/**
 * Opens runs, and remembers them for the next task of the same execution that comes to this process a moment later.
 *
 * What a task knows of its job is of the moment when it read it, however long it works afterwards; so every write is
 * guarded by the fence (heldBy), and a task whose job was cancelled since then has its writes refused. What is remembered for a
 * second is no older than that. A job that is still to be pinned to a version of its payload is read again, for nothing
 * else of it changes under a fence.
 */
export function rememberRuns(open: OpenRun = openRun, now = () => performance.now()): OpenRun {
  const remembered = new Map<string, { readonly job: OpenJob; readonly until: number }>();
  return async (sql, fence, actor) => {
    const name = `${fence.executionName}/${fence.redriveCount}`;
    const known = remembered.get(name);
    if (known !== undefined && known.until > now()) return known.job;
    remembered.delete(name);
    const until = now() + rememberedMs;
    const job = await open(sql, fence, actor);
    if (job.payloadRef !== null && job.payloadPin === null) return job;
    remembered.set(name, { job, until });
    for (const [oldest, { until: its }] of remembered) {
      if (remembered.size <= maxRemembered && its > now()) break;
      remembered.delete(oldest);
    }
    return job;
  };
}
