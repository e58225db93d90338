import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { PoolWait } from '../jobs/pool-wait.ts';
import type { Sql } from '../jobs/store/connect.ts';
import { heartbeatSeconds, recordHeartbeat, removeWorker } from '../jobs/store/workers.ts';
import type { MessageStats } from './message-stats.ts';
import { type Loop, repeat } from './repeat.ts';

type Deps = {
  readonly sql: Sql;
  readonly log: Logger;
  readonly pid: number;
  readonly isCircuitOpen: () => boolean;
  readonly poolWait: PoolWait;
  readonly queues: Readonly<Record<string, MessageStats>>;
};

/** Tells the database every few seconds that this worker lives and how it does; `stop` takes it off the list. */
export function startHeartbeat(deps: Deps): Pick<Loop, 'stop'> {
  const { sql, log } = deps;
  const worker = { workerId: randomUUID(), host: hostname(), pid: deps.pid };
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const beat = async (): Promise<void> => {
    await deps.poolWait.sample();
    await recordHeartbeat(sql, worker, {
      circuitOpen: deps.isCircuitOpen(),
      eventLoopDelayMs: delayMs(delay),
      poolWaitMs: deps.poolWait.p99Ms(),
      queues: Object.fromEntries(
        Object.entries(deps.queues).map(([name, stats]) => [name, stats.read()]),
      ),
    });
  };
  const loop = repeat('heartbeat', heartbeatSeconds * 1_000, beat, log);
  return {
    async stop() {
      await loop.stop();
      delay.disable();
      await removeWorker(sql, worker.workerId).catch((error: unknown) => {
        log.warn(
          { err: error },
          'this worker stays on the list of workers until it counts as gone',
        );
      });
    },
  };
}

/** The 99th percentile since the last call, ms, beyond the sampling interval. */
function delayMs(delay: ReturnType<typeof monitorEventLoopDelay>): number {
  const ms = Math.max(0, delay.percentile(99) / 1e6 - 20);
  delay.reset();
  return Number.isFinite(ms) ? Math.round(ms * 10) / 10 : 0;
}
