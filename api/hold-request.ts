import type { FastifyReply } from 'fastify';
import type { JobView } from '../jobs/store/find-job.ts';
import type { JobWatch } from './job-watch.ts';

/** The longest a request is held, in seconds, and how many are at a time; one more is answered at once. */
export const longestWaitSeconds = 60;
const maxHeld = 10_000;

/** The seconds of `Prefer: wait=n` (RFC 7240, section 4.3), at most 60; undefined where it is not asked for. */
export function waitSecondsOf(prefer: string | undefined): number | undefined {
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(prefer ?? '')?.[1];
  return seconds === undefined ? undefined : Math.min(Number(seconds), longestWaitSeconds);
}

/**
 * Gives the job as soon as it is `enough`, or as it is when the time is over, the client gone or the process
 * stopping. A held request costs a timer and a line in the watch's one query.
 */
export function holdUntil(
  watch: JobWatch,
  job: JobView,
  {
    enough,
    seconds,
    reply,
  }: { enough: (job: JobView) => boolean; seconds: number; reply: FastifyReply },
): Promise<JobView> {
  if (enough(job) || seconds === 0 || watch.size >= maxHeld) return Promise.resolve(job);
  return new Promise((resolve) => {
    let latest = job;
    const finish = (): void => {
      clearTimeout(timer);
      unwatch();
      reply.raw.off('close', finish);
      resolve(latest);
    };
    const timer = setTimeout(finish, seconds * 1000);
    const unwatch = watch.watch(job, {
      onChange: (changed) => {
        latest = changed;
        if (enough(changed)) finish();
      },
      onClose: finish,
    });
    reply.raw.once('close', finish);
  });
}
