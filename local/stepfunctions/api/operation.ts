import type { Locality } from '../arn.ts';
import type { Clock } from '../clock.ts';
import type { MapRunKeeper } from '../map-run/map-run-keeper.ts';
import type { MockConfig } from '../mocking/mock-config.ts';
import type { ActivityQueues } from '../runtime/activity-queues.ts';
import type { ClosedWaiters } from '../runtime/closed-waiters.ts';
import type { ExecutionHost } from '../runtime/execution-host.ts';
import type { MachineCache } from '../runtime/machine-cache.ts';
import type { TaskRunner } from '../runtime/task-runner.ts';
import type { Store } from '../store/store.ts';
import { parseShape, type Shape } from './shape.ts';

/** What operations work on. */
export type Api = {
  readonly store: Store;
  readonly host: ExecutionHost;
  readonly clock: Clock;
  readonly locality: Locality;
  readonly machines: MachineCache;
  readonly activities: ActivityQueues;
  readonly closed: ClosedWaiters;
  readonly runner: TaskRunner;
  readonly mapRuns: MapRunKeeper;
  readonly mockConfig?: MockConfig;
  /** Executions whose start is not on disk yet, by ARN. */
  readonly starting: Record<string, Promise<unknown>>;
};

/** `signal` is raised when the caller has gone. */
export type Operation = (api: Api, request: unknown, signal: AbortSignal) => Promise<object>;

/** An operation of the service: its request's shape, and what it does. */
export function operation<T>(
  shape: Shape<T>,
  run: (api: Api, request: T, signal: AbortSignal) => object | Promise<object>,
): Operation {
  return async (api, request, signal) => run(api, parseShape(shape, request), signal);
}
