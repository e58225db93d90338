import { type Static, type TObject, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Terminal } from '../../jobs/failure.ts';
import { type JobId, parseJobId } from '../../jobs/ids.ts';
import { schemaProblems } from '../../jobs/schema-problems.ts';
import type { Fence } from '../../jobs/store/open-run.ts';

/** What every Task state passes: the job from the execution's input, the rest from its context object. */
const head = {
  jobId: Type.String(),
  type: Type.String({ minLength: 1, maxLength: 80 }),
  executionName: Type.String({ minLength: 1, maxLength: 80 }),
  redriveCount: Type.Integer({ minimum: 0 }),
  state: Type.String({ minLength: 1, maxLength: 80 }),
};

export type EventHead = {
  readonly jobId: JobId;
  readonly type: string;
  readonly fence: Fence;
  /** The ASL state that calls; failures name it. */
  readonly state: string;
};

export type EventReader<Extras extends TObject> = (event: unknown) => {
  readonly head: EventHead;
  readonly extras: Static<Extras>;
};

/** A reader of events with these further fields and no others. It throws Terminal: the definition is wrong then. */
export function eventReader<Extras extends TObject>(extras: Extras): EventReader<Extras> {
  const check: Validator = Compile(
    Type.Object({ ...head, ...extras.properties }, { additionalProperties: false }),
  );
  return (event) => {
    const problems = schemaProblems(check, event);
    const { jobId: text, type, executionName, redriveCount, state } = event as Head;
    const jobId = problems.length === 0 ? parseJobId(text) : undefined;
    if (jobId === undefined) {
      const found = problems.map(({ pointer, message }) => `${pointer || '/'} ${message}`);
      throw new Terminal(
        'TASK_FAULT',
        `the state's Payload does not fit its task: ${found.join('; ') || '/jobId is no job id'}`,
      );
    }
    return {
      head: { jobId, type, state, fence: { jobId, executionName, redriveCount } },
      extras: event as Static<Extras>,
    };
  };
}

type Head = Static<ReturnType<typeof headObject>>;
const headObject = () => Type.Object(head);

/** The state's name in an event that may be anything, for the failure that says so. */
export const stateOf = (event: unknown): string =>
  typeof event === 'object' && event !== null && 'state' in event && typeof event.state === 'string'
    ? event.state
    : '';
