import { type Static, type TObject, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Terminal } from '../../jobs/failure.ts';
import { type JobId, parseJobId } from '../../jobs/ids.ts';
import { schemaProblems } from '../../jobs/schema-problems.ts';
import type { Fence } from '../../jobs/store/open-run.ts';

/** What every Task state passes: the job from the execution's input, the rest from its context object. */
const headObject = Type.Object({
  jobId: Type.String(),
  type: Type.String({ minLength: 1, maxLength: 80 }),
  executionName: Type.String({ minLength: 1, maxLength: 80 }),
  redriveCount: Type.Integer({ minimum: 0 }),
  state: Type.String({ minLength: 1, maxLength: 80 }),
});

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
    Type.Object(
      { ...headObject.properties, ...extras.properties },
      { additionalProperties: false },
    ),
  );
  return (event) => {
    const problems = schemaProblems(check, event);
    if (problems.length > 0) {
      throw unfit(problems.map(({ pointer, message }) => `${pointer || '/'} ${message}`));
    }
    const { jobId: text, type, executionName, redriveCount, state } = event as Head;
    const jobId = parseJobId(text);
    if (jobId === undefined) throw unfit(['/jobId is no job id']);
    return {
      head: { jobId, type, state, fence: { jobId, executionName, redriveCount } },
      extras: event as Static<Extras>,
    };
  };
}

type Head = Static<typeof headObject>;

const unfit = (problems: string[]): Terminal =>
  new Terminal('TASK_FAULT', `the state's Payload does not fit its task: ${problems.join('; ')}`);

/** The state's name in an event that may be anything, for the failure that says so. */
export const stateOf = (event: unknown): string =>
  typeof event === 'object' && event !== null && 'state' in event && typeof event.state === 'string'
    ? event.state
    : '';
