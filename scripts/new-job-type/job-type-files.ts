import { substitutionOf } from '../../statemachines/job-type.ts';
import { transientErrors } from '../../statemachines/lint/retry-rules.ts';

/** Lambda's own limit is 64 for `pawl-run-<name>`; a stage's prefix wants room too. */
const maxNameLength = 40;

/** What is wrong with the name of a job type, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'a job type needs a name';
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    return `${name} is no name: small letters, digits and single hyphens, beginning with a letter`;
  }
  return name.length <= maxNameLength
    ? undefined
    : `${name} is longer than ${maxNameLength} characters`;
}

/** The files of a new job type by their path: what is common to all types, around one task that counts words. */
export const jobTypeFiles = (name: string): ReadonlyMap<string, string> =>
  new Map([
    [`statemachines/${name}/job-type.ts`, settings(name)],
    [`statemachines/${name}/definition.asl.json`, JSON.stringify(definition(name), null, 2)],
    [
      `statemachines/${name}/sample.json`,
      JSON.stringify({ input: { text: 'It never slips back.' } }),
    ],
    [`statemachines/${name}/README.md`, readme(name)],
    [`tasks/run-${name}.ts`, handler(name)],
    [`test/${name}/${name}.test.ts`, testFile(name)],
  ]);

const timeoutSeconds = 600;

const settings = (name: string): string => `import { Type } from 'typebox';
import { defineJobType } from '../job-type.ts';

export const inputSchema = Type.Object(
  { text: Type.String({ minLength: 1, maxLength: 100_000 }) },
  { additionalProperties: false },
);

export default defineJobType({
  type: '${name}',
  description: 'Counts the words of a text.',
  inputSchema,
  payload: 'none',
  maxPayloadBytes: 0,
  timeoutSeconds: ${timeoutSeconds},
  afterFailure: 'block',
  tasks: [
    { name: 'mark-running', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'run-${name}', timeoutSeconds: 60, memoryMb: 512 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 512 },
  ],
  effects: [],
});
`;

const task = (taskName: string, fields: object, stateTimeoutSeconds: number, extras = {}) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Parameters: {
    FunctionName: `\${${substitutionOf(taskName)}}`,
    Payload: {
      'jobId.$': '$$.Execution.Input.jobId',
      'type.$': '$$.Execution.Input.type',
      'executionName.$': '$$.Execution.Name',
      'redriveCount.$': '$$.Execution.RedriveCount',
      'state.$': '$$.State.Name',
      ...extras,
    },
  },
  TimeoutSeconds: stateTimeoutSeconds,
  ...fields,
  Retry: [
    {
      ErrorEquals: transientErrors,
      IntervalSeconds: 1,
      BackoffRate: 2,
      MaxAttempts: 7,
      MaxDelaySeconds: 20,
      JitterStrategy: 'FULL',
    },
  ],
});

function definition(name: string): object {
  const run = substitutionOf(`run-${name}`);
  return {
    Comment: 'Counts the words of a text.',
    StartAt: 'MarkRunning',
    TimeoutSeconds: timeoutSeconds,
    States: {
      MarkRunning: { ...task('mark-running', { ResultPath: null }, 30), Next: run },
      [run]: {
        ...task(
          `run-${name}`,
          { ResultSelector: { 'result.$': '$.Payload.result' }, ResultPath: '$.done' },
          70,
        ),
        Next: 'MarkSucceeded',
      },
      MarkSucceeded: {
        ...task(
          'mark-succeeded',
          { ResultSelector: { 'jobId.$': '$$.Execution.Input.jobId' }, ResultPath: '$' },
          30,
          { 'result.$': '$.done.result' },
        ),
        End: true,
      },
    },
  };
}

const readme = (name: string): string => `# ${name}

Counts the words of a text. Input \`{text}\`, no payload; result \`{words}\`.
`;

const handler = (
  name: string,
): string => `import { inputSchema } from '../statemachines/${name}/job-type.ts';
import { defineTask } from './runtime/define-task.ts';
import { inputReader } from './runtime/job-input.ts';

const inputOf = inputReader(inputSchema);

/** Counts the words of the job's text. */
export const handler = defineTask('run-${name}', async ({ job }) => {
  const { text } = inputOf(job);
  return { result: { words: text.split(/\\s+/u).filter((word) => word !== '').length } };
});
`;

const testFile = (name: string): string => `import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runSampleJob } from '../../local/sample-job.ts';
import { startPawl } from '../support/start-pawl.ts';

const pawl = await startPawl();
after(() => pawl.stop());

test('a job of ${name} counts the words of its text', async () => {
  const input = { text: 'It never  slips\\nback.' };
  const job = await runSampleJob(pawl.runtime(), { type: '${name}', input });
  assert.equal(job.status, 'SUCCEEDED', JSON.stringify(job.failure));
  assert.deepEqual(job.result, { words: 4 });
});

test('an input that does not fit is refused before there is a job', async () => {
  await assert.rejects(runSampleJob(pawl.runtime(), { type: '${name}', input: {} }), /\\/input\\/text/);
});
`;
