import type { TaskOutcome } from '../execution/command.ts';
import type { Json } from '../language/json.ts';
import { TaskError, type TaskCall, type TaskDriver } from '../tasks/task-call.ts';

/** Carries out attempts; the engine takes another one for benchmarks and tests. */
export type TaskRunner = {
  /** Calls the service. Never rejects. */
  call(call: TaskCall): Promise<TaskOutcome>;
  /** Waits for the job that a `.sync` call started. Never rejects. */
  follow(call: TaskCall, submitted: Json): Promise<TaskOutcome>;
};

export type DriverLookup = (service: string, action: string) => TaskDriver | undefined;

export function createTaskRunner(
  lookup: DriverLookup,
  report: (error: unknown) => void,
): TaskRunner {
  function driverOf({ service, action }: TaskCall): TaskDriver {
    const driver = lookup(service, action);
    if (!driver) {
      throw new TaskError(
        'States.Runtime',
        `The integration '${service}:${action}' is not supported by this engine.`,
      );
    }
    return driver;
  }

  async function outcomeOf(
    kind: 'succeeded' | 'submitted',
    work: () => Promise<Json>,
  ): Promise<TaskOutcome> {
    try {
      return { kind, output: await work() };
    } catch (error) {
      if (error instanceof TaskError) {
        return { kind: 'failed', failure: { error: error.error, cause: error.cause } };
      }
      report(error);
      const cause = error instanceof Error ? error.message : String(error);
      return { kind: 'failed', failure: { error: 'States.TaskFailed', cause } };
    }
  }

  return {
    call: (call) =>
      outcomeOf(call.pattern === 'requestResponse' ? 'succeeded' : 'submitted', async () =>
        driverOf(call).call(call),
      ),
    follow(call, submitted) {
      return outcomeOf('succeeded', async () => {
        const driver = driverOf(call);
        if (!driver.follow) {
          throw new TaskError(
            'States.Runtime',
            `'${call.service}:${call.action}' has no .sync form.`,
          );
        }
        call.signal.addEventListener('abort', () => {
          driver.cancel?.(call, submitted).catch(report);
        });
        return driver.follow(call, submitted);
      });
    },
  };
}
