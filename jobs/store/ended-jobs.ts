import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import postgres from 'postgres';
import type { JobId } from '../ids.ts';
import { connectionOptions, type DatabaseConfig, type Sql } from './connect.ts';
import { calledJobId, readCall, toCall } from './end-call.ts';
import type { JobView } from './find-job.ts';

const channel = 'pawl_job_ended';
/** Far below what a task's function has left: a database that hangs now must not undo what is committed. */
const announcingMs = 500;
const listeningMs = 2_000;
const reconnectMs = 1_000;

/**
 * Tells whoever hears of ended jobs that this one has ended, and how. To be called after the commit that ended it, for a NOTIFY within would
 * make endings wait for each other (docs/decisions/notify-after-commit.md). Throws nothing and ends within half a second:
 * nobody depends on it.
 */
export async function announceEnd(sql: Sql, job: JobView, log: Logger): Promise<void> {
  const late = new AbortController();
  const announced = sql`select pg_notify(${channel}, ${toCall(job)})`.catch((error: unknown) => {
    const { jobId } = job;
    log.warn({ err: error, jobId }, 'the end was not called out; who waits looks for himself');
  });
  await Promise.race([
    announced,
    delay(announcingMs, undefined, { signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
}

/** `read` gives the job as it ended; undefined where the call does not hold it. */
type Hear = (jobId: JobId, read: () => JobView | undefined) => void;

/** Hears of jobs that have ended, as long as its connection is there; what is called out meanwhile is lost. */
export type EndedJobs = {
  /** From now on `hear` is called for each job that is called out. */
  onEnded(hear: Hear): void;
  /** Whether anything would be heard just now. */
  readonly isListening: boolean;
  close(): Promise<void>;
};

/** Listens on a connection of its own; when it is lost, another client makes another one (renewable-pool.ts says why). */
export function hearOfEndedJobs(
  config: DatabaseConfig,
  applicationName: string,
  log: Logger,
): EndedJobs {
  const hearers: Hear[] = [];
  let client: Sql | undefined;
  let isListening = false;
  let isClosed = false;
  let wasLost = false;
  let timer: NodeJS.Timeout | undefined;

  const listen = (): void => {
    let isLost = false;
    const lost = (error?: unknown): void => {
      if (isLost || isClosed) return;
      isLost = true;
      isListening = false;
      clearTimeout(timer);
      // Once: while the database is away it is tried every second.
      if (!wasLost)
        log.warn({ err: error }, 'ended jobs are not heard of; who waits looks himself');
      wasLost = true;
      void mine.end({ timeout: 0 }).catch(() => undefined);
      timer = setTimeout(listen, reconnectMs);
    };
    const options = {
      ...connectionOptions(config, applicationName),
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      onclose: () => lost(),
      // Not among the library's types, which know its `listen` alone: that reconnects with what a dead connection left.
      onnotify: (_channel: string, payload: string) => {
        const jobId = calledJobId(payload);
        if (jobId === undefined) return;
        try {
          for (const hear of hearers) hear(jobId, () => readCall(payload));
        } catch (error) {
          // In the library it would be taken for the connection's.
          log.error({ err: error, jobId }, 'the end of a job was called out and not passed on');
        }
      },
    };
    const mine = postgres(config.url, options);
    client = mine;
    // Where something accepts connections and closes them, the library would try again for ever, without a pause.
    timer = setTimeout(() => lost(new Error(`no answer within ${listeningMs} ms`)), listeningMs);
    mine.unsafe(`listen ${channel}`).then(() => {
      if (isLost || isClosed) return;
      clearTimeout(timer);
      isListening = true;
      if (wasLost) log.info('ended jobs are heard of again');
      wasLost = false;
    }, lost);
  };
  listen();
  return {
    onEnded: (hear) => void hearers.push(hear),
    get isListening() {
      return isListening;
    },
    async close() {
      isClosed = true;
      isListening = false;
      clearTimeout(timer);
      await client?.end({ timeout: 0 });
    },
  };
}
