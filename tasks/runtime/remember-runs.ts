import type { JobId } from '../../jobs/ids.ts';
import { InFlight } from '../../jobs/in-flight.ts';
import { type Fence, openRun, type OpenJob, type OpenRun } from '../../jobs/store/open-run.ts';

/** So long a job counts as read: no longer than a task may be at work after its own read of it. */
const rememberedMs = 1_000;
/** An input has up to 256 KiB. */
const maxRemembered = 100;

type Remembered = { readonly fence: Fence; readonly job: OpenJob; readonly until: number };

const isSame = (one: Fence, other: Fence): boolean =>
  one.executionName === other.executionName && one.redriveCount === other.redriveCount;

/**
 * Opens runs, and remembers them for the next task of the same execution that comes to this process a moment later.
 *
 * What a task knows of its job is of the moment when it read it, however long it works afterwards; so every write is
 * guarded by the fence (heldBy), and a task whose job was cancelled since then has its writes refused. What is remembered for a
 * second is no older than that. A job with a payload is always read again: its tasks pin it to a version, also anew after a
 * restart. Nothing else of what a task may know changes under a fence.
 */
export function rememberRuns(open: OpenRun = openRun, now = () => performance.now()): OpenRun {
  const remembered = new InFlight<JobId, Remembered>();
  const oldestFirst: Remembered[] = [];
  const remember = (entry: Remembered): void => {
    remembered.set(entry.fence.jobId, entry);
    oldestFirst.push(entry);
    for (;;) {
      const [oldest] = oldestFirst;
      if (oldest === undefined) return;
      if (oldestFirst.length <= maxRemembered && oldest.until > now()) return;
      oldestFirst.shift();
      const { jobId } = oldest.fence;
      if (remembered.get(jobId) === oldest) remembered.delete(jobId);
    }
  };
  return async (sql, fence, actor) => {
    const known = remembered.get(fence.jobId);
    if (known !== undefined && known.until > now() && isSame(known.fence, fence)) return known.job;
    const until = now() + rememberedMs;
    const job = await open(sql, fence, actor);
    // Whatever was remembered of the job is of an older run, or over.
    remembered.delete(fence.jobId);
    if (job.payloadRef !== null) return job;
    remember({ fence, job, until });
    return job;
  };
}
