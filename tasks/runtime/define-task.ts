import { type Logger, pino } from 'pino';
import { type Static, type TObject, Type } from 'typebox';
import { JobError, Terminal } from '../../jobs/failure.ts';
import { crashPoint } from '../../jobs/crash-point.ts';
import type { EffectResult } from '../../jobs/effect-log.ts';
import { type MailCall, sendMail } from '../../jobs/mail-effect.ts';
import type { OpenJob } from '../../jobs/store/open-run.ts';
import { inSpan, type SpanOptions } from '../../jobs/tracing.ts';
import { callProvider, type ProviderCall } from './effect.ts';
import { processDeps, type TaskDeps } from './task-deps.ts';
import { type EventHead, eventReader, stateOf } from './task-event.ts';
import { taskFailure } from './task-failure.ts';

/** What a handler has: its run and the means to work, but no HTTP client. */
export type RunContext = Pick<TaskDeps, 'config' | 'sql' | 's3'> &
  EventHead & { readonly log: Logger };

/** The same with the job, open under the fence. */
export type TaskContext = RunContext & { readonly job: OpenJob } & Effects;

type Effects = {
  readonly callProvider: (call: ProviderCall) => Promise<EffectResult>;
  readonly sendMail: (mail: MailCall) => Promise<EffectResult>;
};

/** A Lambda handler; `withDeps` is the same one on other means, for tests. */
export type TaskHandler = ((event: unknown) => Promise<unknown>) & {
  readonly withDeps: (deps: TaskDeps) => (event: unknown) => Promise<unknown>;
};

/** No state's input or output is larger, whatever the job's size. */
export const maxOutputBytes = 32 * 1024;

const noExtras = Type.Object({});

/**
 * The handler of one task: opens the run, does the body, and throws nothing but Transient and Terminal.
 *
 * `extras` is the schema of what the state passes besides the head; the body gets it parsed. What the body gives
 * is the state's output, JSON of at most 32 KiB.
 */
export function defineTask<Extras extends TObject = typeof noExtras>(
  name: string,
  body: (context: TaskContext, event: Static<Extras>) => Promise<unknown>,
  extras?: Extras,
): TaskHandler {
  return defineHandler<Extras>(
    name,
    async (context, event, deps) => {
      crashPoint('before-run-opened');
      const job = await deps.openRun(context.sql, context.fence, `task ${name}`);
      crashPoint('after-run-opened');
      return await inSpan(`task ${name}`, spanOf(context, job), async ({ traceparent }) => {
        const caller = {
          sql: context.sql,
          http: deps.http,
          fence: context.fence,
          tenantId: job.tenantId,
          traceparent,
          ...(deps.effectTiming === undefined ? {} : { timing: deps.effectTiming }),
        };
        return await body(
          new OpenedTask(context, job, {
            callProvider: (call) => callProvider(caller, call),
            sendMail: (mail) => sendMail({ ...caller, email: deps.config.email }, mail),
          }),
          event,
        );
      });
    },
    extras,
  );
}

/**
 * A class, because of its getter: one that is written into an object is kept, with all it knows of, until the next full
 * collection (docs/decisions/collected-young.md). It is not to be spread: the getter would stay behind.
 */
class OpenedTask implements TaskContext {
  readonly config;
  readonly sql;
  readonly s3;
  readonly jobId;
  readonly type;
  readonly fence;
  readonly state;
  readonly job;
  readonly callProvider;
  readonly sendMail;
  readonly #log: Logger;

  constructor(context: RunContext, job: OpenJob, effects: Effects) {
    this.config = context.config;
    this.sql = context.sql;
    this.s3 = context.s3;
    this.jobId = context.jobId;
    this.type = context.type;
    this.fence = context.fence;
    this.state = context.state;
    this.#log = context.log;
    this.job = job;
    this.callProvider = effects.callProvider;
    this.sendMail = effects.sendMail;
  }

  /** Most handlers log nothing, and a child costs as much as a small statement's client side. */
  get log(): Logger {
    return this.#log.child({ run: this.job.run });
  }
}

/** A task continues the trace of the request that its job came with. */
export const spanOf = (
  { state, fence }: RunContext,
  job: Pick<OpenJob, 'jobId' | 'run' | 'traceparent'>,
): SpanOptions => ({
  parent: job.traceparent,
  kind: 'consumer',
  attributes: {
    'pawl.job_id': job.jobId,
    'pawl.run': job.run,
    'pawl.state': state,
    'pawl.execution': fence.executionName,
    'pawl.redrive_count': fence.redriveCount,
  },
});

/** As defineTask, for the one task that must also answer when its job is finished already: mark-succeeded. */
export function defineFinishingTask<Extras extends TObject = typeof noExtras>(
  name: string,
  body: (context: RunContext, event: Static<Extras>) => Promise<unknown>,
  extras?: Extras,
): TaskHandler {
  return defineHandler<Extras>(name, body, extras);
}

function defineHandler<Extras extends TObject>(
  name: string,
  body: (context: RunContext, event: Static<Extras>, deps: TaskDeps) => Promise<unknown>,
  extras?: Extras,
): TaskHandler {
  const read = eventReader<TObject>(extras ?? noExtras);
  const run = async (
    event: unknown,
    depsOf: () => TaskDeps | Promise<TaskDeps>,
  ): Promise<unknown> => {
    const startedAt = performance.now();
    let deps: TaskDeps | undefined;
    let log: Logger | undefined;
    try {
      deps = await depsOf();
      const parsed = read(event);
      const { jobId, fence, state } = parsed.head;
      log = deps.log.child({
        task: name,
        jobId,
        execution: fence.executionName,
        redrive: fence.redriveCount,
        state,
      });
      const { config, sql, s3 } = deps;
      const output = await body(
        { ...parsed.head, config, sql, s3, log },
        parsed.extras as Static<Extras>,
        deps,
      );
      const bounded = boundedOutput(output);
      log.info({ ms: msSince(startedAt) }, 'task done');
      return bounded;
    } catch (error) {
      const failure = taskFailure(error, stateOf(event));
      log ??= (deps?.log ?? pino({ base: { service: 'tasks' } })).child({ task: name });
      logFailure(log, error, failure, msSince(startedAt));
      throw failure;
    }
  };
  return Object.assign((event: unknown) => run(event, processDeps), {
    withDeps: (deps: TaskDeps) => (event: unknown) => run(event, () => deps),
  });
}

const msSince = (startedAt: number): number => Math.round(performance.now() - startedAt);

/**
 * An error that is not ours is a bug: its stack is wanted. The message of ours may quote a document or a provider's
 * answer, which have no place in a log; it stands in the job's failure.
 */
function logFailure(log: Logger, error: unknown, failure: JobError, ms: number): void {
  const { name, code } = failure;
  if (error instanceof JobError) log.warn({ ms, name, code }, 'task failed');
  else log.error({ ms, name, code, err: error }, 'task failed');
}

function boundedOutput(output: unknown): unknown {
  const value = output ?? {};
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= maxOutputBytes) return value;
  throw new Terminal(
    'TASK_FAULT',
    `the task's output is ${bytes} bytes; a state passes on at most ${maxOutputBytes}: put it into S3 or Postgres`,
  );
}
