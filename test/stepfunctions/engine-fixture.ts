import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { createManualClock, type ManualClock } from '../../local/stepfunctions/clock.ts';
import { createEngine, type EngineOptions } from '../../local/stepfunctions/engine.ts';
import type { TaskOutcome } from '../../local/stepfunctions/execution/command.ts';
import { isJsonObject, type Json } from '../../local/stepfunctions/language/json.ts';
import type { TaskCall } from '../../local/stepfunctions/tasks/task-call.ts';
import { waitFor } from '../support/wait-for.ts';

export const ROLE = 'arn:aws:iam::000000000000:role/engine-test';

/** What DescribeExecution answers, as far as the tests read it. */
export type Described = {
  readonly status: string;
  readonly output?: string;
  readonly error?: string;
  readonly cause?: string;
  readonly startDate: number;
  readonly stopDate?: number;
  readonly redriveCount: number;
  readonly redriveDate?: number;
  readonly redriveStatus: string;
  readonly redriveStatusReason?: string;
};

export type HistoryEvent = {
  readonly id: number;
  readonly previousEventId: number;
  readonly type: string;
  readonly timestamp: number;
  readonly [details: string]: unknown;
};

/** Plays the services: `invoke:<FunctionName>` or the action decides what comes of a call. */
export type PlayTask = (call: TaskCall, payload: Json) => Promise<TaskOutcome> | TaskOutcome;

export type Fixture = Awaited<ReturnType<typeof startFixture>>;

/**
 * An engine in this process with a clock that stands still and tasks that the test plays, or
 * ('services') that call the services at `options.endpoints`.
 */
export async function startFixture(
  play: PlayTask | 'services',
  options: Partial<EngineOptions> = {},
) {
  const dataDir = options.dataDir ?? temporaryFolder();
  const clock: ManualClock = createManualClock(Date.UTC(2026, 0, 1));
  const engine = createEngine({
    dataDir,
    clock,
    ...(play !== 'services' && {
      taskRunner: {
        call: async (call) => play(call, payloadOf(call)),
        follow: async () => ({ kind: 'failed', failure: { error: 'NotPlayed' } }),
      },
    }),
    ...options,
  });
  let machines = 0;

  async function call<T>(operation: string, request: object): Promise<T> {
    return (await engine.call(operation, request)) as T;
  }

  async function create(definition: object, extra: object = {}): Promise<string> {
    const { stateMachineArn } = await call<{ stateMachineArn: string }>('CreateStateMachine', {
      name: `machine-${++machines}`,
      roleArn: ROLE,
      definition: JSON.stringify(definition),
      ...extra,
    });
    return stateMachineArn;
  }

  async function start(stateMachineArn: string, input: Json = {}, name?: string): Promise<string> {
    const { executionArn } = await call<{ executionArn: string }>('StartExecution', {
      stateMachineArn,
      input: JSON.stringify(input),
      ...(name !== undefined && { name }),
    });
    return executionArn;
  }

  const describe = (executionArn: string): Promise<Described> =>
    call('DescribeExecution', { executionArn });

  return {
    clock,
    dataDir,
    engine,
    call,
    create,
    start,
    describe,
    /** Creates a machine and starts it. */
    run: async (definition: object, input: Json = {}): Promise<string> =>
      start(await create(definition), input),
    /** Waits until the execution is no longer RUNNING. */
    ended: (executionArn: string): Promise<Described> =>
      waitFor(
        async () => {
          const described = await describe(executionArn);
          return described.status !== 'RUNNING' && described;
        },
        10_000,
        `the end of ${executionArn}`,
      ),
    async history(executionArn: string): Promise<HistoryEvent[]> {
      const { events } = await call<{ events: HistoryEvent[] }>('GetExecutionHistory', {
        executionArn,
        maxResults: 1000,
      });
      return events;
    },
    stop: () => engine.stop(),
  };
}

/** Removed when the test file is done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** `types(history)` reads like the sequences in AWS's documentation. */
export function types(events: readonly HistoryEvent[]): string[] {
  return events.map(({ type }) => type);
}

export function succeed(output: Json = {}): TaskOutcome {
  return { kind: 'succeeded', output };
}

export function fail(error: string, cause = ''): TaskOutcome {
  return { kind: 'failed', failure: { error, cause } };
}

/** A Task state that invokes a function with its input. */
export function task(functionName: string, fields: object = {}): object {
  return {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    Parameters: {
      FunctionName: functionName,
      Payload: { 'input.$': '$', 'redriveCount.$': '$$.Execution.RedriveCount' },
    },
    ...('Next' in fields ? {} : { End: true }),
    ...fields,
  };
}

export function functionOf({ arguments: parameters }: TaskCall): string {
  const name = isJsonObject(parameters) ? parameters['FunctionName'] : undefined;
  return typeof name === 'string' ? name : '';
}

function payloadOf({ arguments: parameters }: TaskCall): Json {
  return isJsonObject(parameters) ? (parameters['Payload'] ?? null) : null;
}
