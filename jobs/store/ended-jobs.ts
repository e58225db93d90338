import postgres from 'postgres';
import type { JobId } from '../ids.ts';
import { connectionOptions, type DatabaseConfig, type Sql } from './connect.ts';

const channel = 'pawl_job_ended';
const reconnectMs = 1_000;

/**
 * Tells whoever hears of ended jobs that this one has. To be called after the commit that ended it, for a NOTIFY within would
 * make endings wait for each other (docs/decisions/notify-after-commit.md). Never throws: nobody depends on it.
 */
export async function announceEnd(sql: Sql, jobId: JobId): Promise<void> {
  try {
    await sql`select pg_notify(${channel}, ${jobId})`;
  } catch {
    // Whoever waits looks for himself as well.
  }
}

/** Hears of jobs that have ended, as long as its connection is there; what is called out meanwhile is lost. */
export type EndedJobs = {
  /** From now on `hear` is called for each job that is called out. */
  onEnded(hear: (jobId: JobId) => void): void;
  /** Whether anything would be heard just now. */
  readonly isListening: boolean;
  close(): Promise<void>;
};

/** Listens on a connection of its own; when it is lost, another client makes another one (renewable-pool.ts says why). */
export function hearOfEndedJobs(config: DatabaseConfig, applicationName: string): EndedJobs {
  const hearers: ((jobId: JobId) => void)[] = [];
  let client: Sql | undefined;
  let isListening = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const listen = (): void => {
    let isLost = false;
    const lost = (): void => {
      if (isLost || isClosed) return;
      isLost = true;
      isListening = false;
      void mine.end({ timeout: 0 }).catch(() => undefined);
      timer = setTimeout(listen, reconnectMs);
    };
    const options = {
      ...connectionOptions(config, applicationName),
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      onclose: lost,
      // Not among the library's types, which know its `listen` alone: that reconnects with what a dead connection left.
      onnotify: (_channel: string, jobId: string) => {
        for (const hear of hearers) hear(jobId as JobId);
      },
    };
    const mine = postgres(config.url, options);
    client = mine;
    mine.unsafe(`listen ${channel}`).then(() => {
      isListening = !isLost;
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
