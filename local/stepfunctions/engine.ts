import type { Locality } from './arn.ts';
import type { Api } from './api/operation.ts';
import { operations } from './api/operations.ts';
import { ApiError } from './api/api-error.ts';
import { systemClock, type Clock } from './clock.ts';
import { createStatusPublisher, type PutEvents } from './events/status-publisher.ts';
import type { ExecutionIdentity } from './execution/view.ts';
import type { MockConfig } from './mocking/mock-config.ts';
import { createMockedTaskRunner } from './mocking/mocked-task-runner.ts';
import { createActivityQueues } from './runtime/activity-queues.ts';
import { createAttemptKeeper } from './runtime/attempt-keeper.ts';
import { createClosedWaiters } from './runtime/closed-waiters.ts';
import { createMapRunKeeper } from './map-run/map-run-keeper.ts';
import { createObjectStore } from './map-run/object-store.ts';
import { createExecutionHost, type ExecutionHost } from './runtime/execution-host.ts';
import { createMachineCache } from './runtime/machine-cache.ts';
import { startRetention } from './runtime/retention.ts';
import { createTaskRunner, type TaskRunner } from './runtime/task-runner.ts';
import { openStore, type Store } from './store/store.ts';
import { createDriverLookup, type TaskEndpoints } from './tasks/drivers.ts';

export type EngineOptions = {
  /** The folder of `stepfunctions.sqlite`; made if it is missing. */
  readonly dataDir: string;
  readonly clock?: Clock;
  readonly region?: string;
  readonly accountId?: string;
  /** Where the services are that tasks call. */
  readonly endpoints?: TaskEndpoints;
  /** Carries out tasks in place of the drivers in tasks/. */
  readonly taskRunner?: TaskRunner;
  /** Answers for services in executions that are started with a test case (mocking/). */
  readonly mockConfig?: MockConfig;
  /** Sends status-change events; without it none are made. */
  readonly putEvents?: PutEvents;
  /** A failure that nobody waits for; by default it goes to stderr. */
  readonly report?: (error: unknown) => void;
  /** A commit failed: memory is ahead of the disk, the process must end. By default it does. */
  readonly fatal?: (error: unknown) => void;
};

export type Engine = {
  /** Carries out an operation of the API; rejects with ApiError. */
  call(operation: string, request: object, signal?: AbortSignal): Promise<object>;
  /** Resolves when the execution is no longer running. */
  ended(executionArn: string): Promise<void>;
  counts(): { open: number; inMemory: number; waiting: number };
  /** Nothing more is done; what is acknowledged is on disk, and goes on at the next start. */
  stop(): void;
};

/** The engine in this process, without HTTP: opens the data folder and takes up what was running. */
export function createEngine(options: EngineOptions): Engine {
  const { clock = systemClock, report = reportToStderr } = options;
  const locality: Locality = {
    region: options.region ?? 'us-east-1',
    accountId: options.accountId ?? '000000000000',
  };
  const store = openStore(options.dataDir, options.fatal ?? exitOnFailedCommit);
  const machines = createMachineCache(store.machines);
  const activities = createActivityQueues();
  const closed = createClosedWaiters();
  const starting: Api['starting'] = {};
  const publisher = options.putEvents && createStatusPublisher(store, options.putEvents, report);

  const realRunner =
    options.taskRunner ??
    createTaskRunner(
      createDriverLookup({
        endpoints: options.endpoints ?? {},
        region: locality.region,
        api: () => api,
      }),
      report,
    );
  const { mockConfig } = options;
  const runner = mockConfig ? createMockedTaskRunner(mockConfig, realRunner) : realRunner;
  const attempts = createAttemptKeeper({
    runner,
    activities,
    ...locality,
    ended: (id, threadId, attemptId, outcome) =>
      void host.send(id, { kind: 'outcome', threadId, attemptId, outcome }),
  });
  const mapRuns = createMapRunKeeper({
    store,
    clock,
    locality,
    host: () => host,
    objects: createObjectStore(options.endpoints?.s3, locality.region),
    childMachine: (revision, machineArn) => machines.ofArn(revision, machineArn),
    report,
  });
  const host: ExecutionHost = createExecutionHost({
    store,
    clock,
    region: locality.region,
    attempts,
    mapRuns,
    machineOf: (revision, machineArn) => machines.ofArn(revision, machineArn),
    identityOf: (id) => identityOf(store, id),
    closed: (view) => closed.closed(view),
    outboxFilled: (status) => publisher?.nudge(status !== 'RUNNING' && status !== 'SUCCEEDED'),
    emitsStatusEvents: publisher !== undefined,
    report,
  });
  const api: Api = {
    store,
    host,
    clock,
    locality,
    machines,
    activities,
    closed,
    starting,
    runner,
    mapRuns,
    ...(mockConfig && { mockConfig }),
  };
  host.resume();
  mapRuns.resume();
  const retention = startRetention(store, clock);
  publisher?.nudge();

  return {
    async call(name, request, signal = NEVER) {
      const operation = operations[name];
      if (!operation)
        throw new ApiError('UnknownOperationException', `There is no operation '${name}'.`);
      return operation(api, request, signal);
    },
    ended(executionArn) {
      return new Promise((resolve) => {
        const forget = closed.add(executionArn, () => resolve());
        // It may have ended before anybody waited.
        if (store.executions.find(executionArn)?.status === 'RUNNING') return;
        forget();
        resolve();
      });
    },
    counts: () => host.counts(),
    stop() {
      host.stop();
      mapRuns.stop();
      retention.stop();
      publisher?.stop();
      store.close();
    },
  };
}

const NEVER = new AbortController().signal;

function identityOf(
  store: Store,
  id: number,
): { identity: ExecutionIdentity; revision: number } | undefined {
  const row = store.executions.get(id);
  if (!row) return undefined;
  const { arn, name, machineArn, versionArn, aliasArn, mapRunArn, express, revision, testCase } =
    row;
  const identity = {
    id,
    arn,
    name,
    machineArn,
    machineName: machineArn.split(':').at(6) ?? '',
    roleArn: store.machines.revision(revision).roleArn,
    ...(versionArn !== undefined && { versionArn }),
    ...(aliasArn !== undefined && { aliasArn }),
    ...(mapRunArn !== undefined && { mapRunArn }),
    express,
    ...(testCase && { testCase }),
  };
  return { identity, revision };
}

function reportToStderr(error: unknown): void {
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
}

function exitOnFailedCommit(error: unknown): never {
  reportToStderr(error);
  process.stderr.write(
    'The execution log cannot be written (is the disk full?). The engine ends here.\n',
  );
  process.exit(1);
}
