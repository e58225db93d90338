// What holds for the state machine of every job type, in statemachines/ and in JOB_TYPE_DIRS.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { Type } from 'typebox';
import { validateDefinition } from '../../local/stepfunctions/definition/validate-definition.ts';
import { defaultEffectTiming } from '../../jobs/effect-log.ts';
import {
  loadJobTypes,
  type RegisteredJobType,
  resolveDefinition,
} from '../../statemachines/registry.ts';
import { functionNameOf, substitutionOf } from '../../statemachines/job-type.ts';

/** DESIGN, section 7: what may be tried again with nothing changed. */
const transientNames = [
  'Transient',
  'States.Timeout',
  'States.HeartbeatTimeout',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.TooManyRequestsException',
  'Lambda.ClientExecutionTimeoutException',
  'Sandbox.Timedout',
];

/** What the fence is made of, from the execution's own context object. */
const head = {
  'jobId.$': '$$.Execution.Input.jobId',
  'type.$': '$$.Execution.Input.type',
  'executionName.$': '$$.Execution.Name',
  'redriveCount.$': '$$.Execution.RedriveCount',
  'state.$': '$$.State.Name',
};

const retrier = Type.Object({
  ErrorEquals: Type.Array(Type.String()),
  IntervalSeconds: Type.Integer(),
  BackoffRate: Type.Number(),
  MaxAttempts: Type.Integer(),
  MaxDelaySeconds: Type.Integer(),
  JitterStrategy: Type.Literal('FULL'),
});
const stateShape = Type.Object({
  Type: Type.String(),
  Comment: Type.Optional(Type.String()),
  Resource: Type.Optional(Type.String()),
  TimeoutSeconds: Type.Optional(Type.Integer()),
  HeartbeatSeconds: Type.Optional(Type.Integer()),
  HeartbeatSecondsPath: Type.Optional(Type.String()),
  Retry: Type.Optional(Type.Array(retrier)),
  Catch: Type.Optional(
    Type.Array(Type.Object({ ErrorEquals: Type.Array(Type.String()), Next: Type.String() })),
  ),
  Parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
type State = Type.Static<typeof stateShape>;

type NamedState = { readonly name: string; readonly state: State };

/** All states, those in Map and Parallel too. */
function statesOf(value: unknown): NamedState[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(statesOf);
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'States' && typeof inner === 'object' && inner !== null
      ? Object.entries(inner).flatMap(([name, state]) => [
          { name, state: Value.Parse(stateShape, state) },
          ...statesOf(state),
        ])
      : statesOf(inner),
  );
}

const functionOf = (state: State): unknown => state.Parameters?.['FunctionName'];

const tasksOf = (states: NamedState[]): NamedState[] =>
  states.filter(({ state }) => state.Type === 'Task' && functionOf(state) !== undefined);

const waitsForCallback = (state: State): boolean =>
  state.Resource?.endsWith('.waitForTaskToken') === true;

/** The silence of somebody who was asked is an answer: a Catch says what it means, and it is not waited for again. */
const isCaught = (state: State, error: string): boolean =>
  waitsForCallback(state) &&
  /^States\.(Heartbeat)?Timeout$/.test(error) &&
  (state.Catch ?? []).some(({ ErrorEquals }) => ErrorEquals.includes(error));

const maxDelays = (retry: Type.Static<typeof retrier>): number[] =>
  Array.from({ length: retry.MaxAttempts }, (_, attempt) =>
    Math.min(retry.IntervalSeconds * retry.BackoffRate ** attempt, retry.MaxDelaySeconds),
  );

const jobTypes = await loadJobTypes();

for (const jobType of jobTypes.values()) {
  const definition: Record<string, unknown> = JSON.parse(jobType.definition);
  const states = statesOf(definition);
  const tasks = tasksOf(states);
  const promise = (what: string, check: () => void): void =>
    void test(`${jobType.type}: ${what}`, check);

  promise('the definition is valid, and names only tasks that are listed', () => {
    const arn = (name: string): string =>
      `arn:aws:lambda:us-east-1:000000000000:function:${functionNameOf(name)}`;
    const resolved = resolveDefinition(jobType, arn);
    assert.deepEqual(validateDefinition(resolved, { type: 'STANDARD' }).diagnostics, []);
    const named = new Set(tasks.map(({ state }) => functionOf(state)));
    for (const task of jobType.tasks) {
      assert.ok(named.has(`\${${substitutionOf(task.name)}}`), `no state calls ${task.name}`);
    }
  });

  promise('the machine and every Task have a TimeoutSeconds, a function’s own is shorter', () => {
    assert.equal(definition['TimeoutSeconds'], jobType.timeoutSeconds);
    for (const { name, state } of states.filter(({ state }) => state.Type === 'Task')) {
      assert.ok(state.TimeoutSeconds !== undefined, `${name} has no TimeoutSeconds`);
      assert.ok(state.TimeoutSeconds < jobType.timeoutSeconds, name);
      const task = jobType.tasks.find(
        (candidate) => functionOf(state) === `\${${substitutionOf(candidate.name)}}`,
      );
      if (task !== undefined) assert.ok(task.timeoutSeconds < state.TimeoutSeconds, name);
    }
  });

  promise('only the transient is retried, all of it, with a cap, backoff and jitter', () => {
    for (const { name, state } of tasks) {
      assert.equal(state.Retry?.length, 1, `${name} has one retrier`);
      const [retry] = state.Retry ?? [];
      const wanted = transientNames.filter((error) => !isCaught(state, error));
      assert.deepEqual(retry?.ErrorEquals.toSorted(), wanted.toSorted(), name);
      assert.ok((retry?.BackoffRate ?? 0) > 1, name);
    }
  });

  promise('an error name is AWS’s or one of ours', () => {
    for (const { name, state } of states) {
      for (const error of [...(state.Retry ?? []), ...(state.Catch ?? [])].flatMap(
        ({ ErrorEquals }) => ErrorEquals,
      )) {
        assert.match(
          error,
          /^(States\.\w+|Lambda\.\w+|Sandbox\.Timedout|Transient|Terminal)$/,
          name,
        );
      }
    }
  });

  promise('no Catch ends in a Fail state, unless its Comment says what was compensated', () => {
    const uncompensated = new Set(
      states
        .filter(({ state }) => state.Type === 'Fail' && !/compensat/i.test(state.Comment ?? ''))
        .map(({ name }) => name),
    );
    for (const { name, state } of states) {
      for (const { Next } of state.Catch ?? []) {
        assert.ok(!uncompensated.has(Next), `${name} → ${Next}`);
      }
    }
  });

  promise('every task is told job, type, execution, redrive count and state', () => {
    for (const { name, state } of tasks) {
      const payload = state.Parameters?.['Payload'];
      for (const [field, path] of Object.entries(head)) {
        const given: unknown = Reflect.get(Object(payload), field);
        // A child of a distributed Map has the name from its parent, by ItemSelector.
        assert.ok(given === path || /^\$\.(?!\$)/.test(String(given)), `${name}: ${field}`);
      }
    }
  });

  promise('the retries of an effect span two leases, and at most a minute', () => {
    for (const { name, state } of tasks.filter((task) => callsProvider(jobType, task))) {
      const delays = (state.Retry ?? []).flatMap(maxDelays);
      const mostSeconds = delays.reduce((sum, delay) => sum + delay, 0);
      assert.ok(mostSeconds <= 60, `${name}: up to ${mostSeconds} s`);
      // Full jitter halves a delay on average.
      assert.ok((mostSeconds / 2) * 1000 >= 2 * defaultEffectTiming.leaseMs, name);
      const leaseSeconds = defaultEffectTiming.leaseMs / 1000;
      assert.ok((state.TimeoutSeconds ?? 0) > leaseSeconds, `${name} outlives its lease`);
    }
  });

  promise('validation has the job type’s own limit of bytes', () => {
    for (const { state } of tasks) {
      if (functionOf(state) !== '${ValidatePayload}') continue;
      const payload: unknown = state.Parameters?.['Payload'];
      assert.equal(Reflect.get(Object(payload), 'maxPayloadBytes'), jobType.maxPayloadBytes);
    }
  });
}

function callsProvider(jobType: RegisteredJobType, { state }: NamedState): boolean {
  const task = jobType.taskFiles.find(
    ({ name }) => functionOf(state) === `\${${substitutionOf(name)}}`,
  );
  return (
    task !== undefined && readFileSync(task.file, 'utf8').match(/callProvider|sendMail/) !== null
  );
}
