import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Sql } from '../jobs/store/connect.ts';
import { isFinal, type JobView } from '../jobs/store/find-job.ts';
import { findStatusEvents, type StatusEvent } from '../jobs/store/find-job-events.ts';
import type { JobWatch } from './job-watch.ts';

const usualHeartbeatMs = 15_000;
/** A client that does not read is cut off; it comes again with Last-Event-ID. */
const maxUnreadBytes = 64 * 1024;

/** How much of a job's story a client has been told: the last status event, and the revision it was told at. */
export type Seen = { readonly eventNo: string; readonly revision: number };

const eventIdOf = ({ eventNo, revision }: Seen): string => `${eventNo}-${revision}`;

/** Reads a Last-Event-ID; what we have not written stands for nothing seen. */
export function parseEventId(text: string | undefined): Seen {
  const [, eventNo, revision] = /^(\d{1,18})-(\d{1,9})$/.exec(text ?? '') ?? [];
  return eventNo === undefined
    ? { eventNo: '0', revision: 0 }
    : { eventNo, revision: Number(revision) };
}

type Deps = {
  readonly sql: Sql;
  readonly watch: JobWatch;
  readonly log: Logger;
  /** How often a comment is sent that keeps proxies from closing a silent stream. */
  readonly heartbeatMs?: number;
};

/** The job's story from `seen` on, until it is final, the client is gone or the process stops. */
export function streamEvents(
  { sql, watch, log, heartbeatMs = usualHeartbeatMs }: Deps,
  first: JobView,
  seen: Seen,
): Readable {
  const teller = createTeller(sql, seen);
  const stream = new Readable({ read: () => undefined });
  const heartbeat = setInterval(() => write(stream, ': heartbeat\n\n'), heartbeatMs);
  let telling = Promise.resolve();

  // One change after the other: each goes on from what the one before has told.
  const tell = (job: JobView): void => {
    telling = telling
      .then(() => teller(job))
      .then((text) => {
        write(stream, text);
        if (isFinal(job.status)) end();
      })
      .catch((error: unknown) => {
        log.warn({ err: error, jobId: job.jobId }, 'an event stream was cut off');
        stream.destroy();
      });
  };
  const unwatch = watch.watch(first, { onChange: tell, onClose: () => end() });
  const release = (): void => {
    clearInterval(heartbeat);
    unwatch();
  };
  const end = (): void => {
    release();
    if (!stream.destroyed) stream.push(null);
  };
  stream.once('close', release);
  write(stream, 'retry: 2000\n\n');
  tell(first);
  return stream;
}

function write(stream: Readable, text: string): void {
  if (text === '' || stream.destroyed || stream.readableEnded) return;
  stream.push(text);
  if (stream.readableLength > maxUnreadBytes) stream.destroy();
}

/** Gives the events with which a client that has `seen` so much is up to date with the job. */
function createTeller(sql: Sql, seen: Seen): (job: JobView) => Promise<string> {
  let { eventNo, revision } = seen;
  let progress = '';
  return async (job) => {
    const isNews = job.revision > revision;
    const arrows = await findStatusEvents(sql, job.jobId, eventNo);
    const before = eventNo;
    eventNo = arrows.at(-1)?.eventNo ?? eventNo;
    revision = Math.max(revision, job.revision);
    const latest = JSON.stringify(job.progress);
    const tellsProgress = isNews && job.progress !== null && latest !== progress;
    progress = latest;
    const statusTexts = arrows.map((arrow) =>
      statusText(job, arrow, revision, arrow === arrows.at(-1)),
    );
    const progressText = () =>
      eventText('progress', { eventNo: before, revision }, { jobId: job.jobId, ...job.progress });
    // Progress first, so that the last event of a stream is the final status; its id names no arrow told after it.
    return [...(tellsProgress ? [progressText()] : []), ...statusTexts].join('');
  };
}

const statusText = (
  job: JobView,
  { eventNo, run, at, status }: StatusEvent,
  revision: number,
  isLast: boolean,
): string =>
  eventText(
    'status',
    { eventNo, revision },
    // An end that a redrive has taken back is told, and is not the last word.
    { jobId: job.jobId, status, run, at: at.toISOString(), final: isLast && isFinal(status) },
  );

const eventText = (name: string, id: Seen, data: object): string =>
  `id: ${eventIdOf(id)}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
