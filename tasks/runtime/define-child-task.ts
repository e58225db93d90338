import type { Static, TObject } from 'typebox';
import { type OpenJob, openChildRun } from '../../jobs/store/open-run.ts';
import { inSpan } from '../../jobs/tracing.ts';
import { defineFinishingTask, type RunContext, spanOf, type TaskHandler } from './define-task.ts';

/** What the child of a distributed Map has: no effects, which belong to the job and not to one of its chunks. */
export type ChildContext = RunContext & { readonly job: OpenJob };

/**
 * As defineTask, for a state in a distributed Map. Its head comes from the Map's ItemSelector: the parent's execution
 * name, and the redrive count at the child's first start. The job is opened by the name alone and never moved.
 */
export function defineChildTask<Extras extends TObject>(
  name: string,
  body: (context: ChildContext, event: Static<Extras>) => Promise<unknown>,
  extras: Extras,
): TaskHandler {
  return defineFinishingTask<Extras>(
    name,
    async (context, event) => {
      const job = await openChildRun(context.sql, context.fence);
      const log = context.log.child({ run: job.run });
      return await inSpan(`task ${name}`, spanOf(context, job), () =>
        body({ ...context, log, job }, event),
      );
    },
    extras,
  );
}
