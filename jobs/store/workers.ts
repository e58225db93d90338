import type { Sql } from './connect.ts';

/** What a consumer of a queue did within the last minute. */
export type ConsumerState = {
  readonly received: number;
  readonly done: number;
  /** Left in the queue, because something around it fails. */
  readonly later: number;
  readonly inHand: number;
  /** Received more than once: crashes, or what was left in the queue. */
  readonly redelivered: number;
  readonly highestReceiveCount: number;
  /** How long the messages had lain in the queue: the longest; null where none was received. */
  readonly oldestSeconds: number | null;
  /** How long the work on one took; null where none ended. */
  readonly p99Ms: number | null;
};

/** What a worker process tells about itself every few seconds. */
export type WorkerState = {
  readonly circuitOpen: boolean;
  readonly queues: Readonly<Record<string, ConsumerState>>;
  readonly eventLoopDelayMs: number;
  readonly poolWaitMs: number | null;
};

export type WorkerView = {
  readonly workerId: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** Since when it has said nothing. */
  readonly silentSeconds: number;
  readonly state: WorkerState;
};

/** A worker tells of itself this often; one that has been silent for three times as long counts as gone. */
export const heartbeatSeconds = 5;
export const goneAfterSeconds = 15;

export async function recordHeartbeat(
  sql: Sql,
  worker: { readonly workerId: string; readonly host: string; readonly pid: number },
  state: WorkerState,
): Promise<void> {
  await sql`
    insert into workers (worker_id, host, pid, state)
    values (${worker.workerId}, ${worker.host}, ${worker.pid}, ${sql.json(state)})
    on conflict (worker_id) do update set seen_at = now(), state = excluded.state`;
}

/** A worker that stops in good order is not missed. */
export async function removeWorker(sql: Sql, workerId: string): Promise<void> {
  await sql`delete from workers where worker_id = ${workerId}`;
}

/** The workers that were seen within the last hour; the ones that vanished are among them. */
export async function findWorkers(sql: Sql): Promise<WorkerView[]> {
  return await sql<WorkerView[]>`
    select worker_id as "workerId", host, pid, started_at as "startedAt", seen_at as "seenAt",
           extract(epoch from now() - seen_at)::double precision as "silentSeconds", state
    from workers where seen_at > now() - interval '1 hour'
    order by seen_at desc limit 1000`;
}
