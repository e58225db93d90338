// What holds for the state machine of every job type: it is valid, and nothing goes against the rules of lint-definition.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultEffectTiming, effectLogPace } from '../../jobs/effect-log.ts';
import { Transient } from '../../jobs/failure.ts';
import { validateDefinition } from '../../local/stepfunctions/definition/validate-definition.ts';
import { functionNameOf } from '../../statemachines/job-type.ts';
import { transientErrors } from '../../statemachines/lint/retry-rules.ts';
import {
  type AslObject,
  asObject,
  memberOf,
  namedStates,
  numberIn,
  objectsIn,
} from '../../statemachines/lint/named-states.ts';
import {
  callsProvider,
  describeProblem,
  lintDefinition,
} from '../../statemachines/lint-definition.ts';
import { loadJobTypes, resolveDefinition } from '../../statemachines/registry.ts';

const types = await loadJobTypes();

for (const jobType of types.values()) {
  test(`${jobType.type}: the definition is valid, and names only tasks that are listed`, () => {
    const arn = (name: string): string =>
      `arn:aws:lambda:us-east-1:000000000000:function:${functionNameOf(name)}`;
    const resolved = resolveDefinition(jobType, arn);
    assert.deepEqual(validateDefinition(resolved, { type: 'STANDARD' }).diagnostics, []);
  });

  test(`${jobType.type}: the linter finds nothing`, () => {
    const problems = lintDefinition(jobType, effectLogPace);
    assert.deepEqual(problems.map(describeProblem), []);
  });
}

const effectStates = [...types.values()].flatMap((jobType) =>
  namedStates(asObject(JSON.parse(jobType.definition)))
    .filter((named) => callsProvider(jobType, named))
    .map(({ name, state }) => ({ name: `${jobType.type} ${name}`, state })),
);

test('every job type with effects has a state that calls a provider', () => {
  const calling = new Set(effectStates.map(({ name }) => name.split(' ')[0]));
  const naming = [...types.values()].filter(({ effects }) => effects.length > 0);
  assert.deepEqual(calling, new Set(naming.map(({ type }) => type)));
});

for (const { name, state } of effectStates) {
  const { leaseMs, jitterMs } = defaultEffectTiming;

  test(`${name}: its retries span two leases at least and a minute at most, whatever chance does`, () => {
    for (const retrier of objectsIn(state, 'Retry')) {
      const waits = declaredWaitsMs(retrier);
      const shortest = waits.map((ms) => (memberOf(retrier, 'JitterStrategy') === 'FULL' ? 0 : ms));
      assert.ok(sum(shortest) >= 2 * leaseMs, `${sum(shortest)} ms at least`);
      assert.ok(sum(waits) + waits.length * jitterMs <= 60_000, `${sum(waits)} ms at most`);
    }
    assert.equal(objectsIn(state, 'Retry').length, 1);
  });

  test(`${name}: two attempts that die one after the other leave a retry that finds no lease`, () => {
    const [retrier = {}] = objectsIn(state, 'Retry');
    let [now, leaseUntil, dead] = [0, leaseMs, 1];
    for (const waitMs of declaredWaitsMs(retrier)) {
      now += waitMs;
      if (now < leaseUntil) continue; // EFFECT_IN_PROGRESS, at once
      if (dead === 2) return;
      dead += 1;
      leaseUntil = now + leaseMs;
    }
    assert.fail('the retries were used up before');
  });
}

function declaredWaitsMs(retrier: AslObject): number[] {
  const number = (key: string): number => {
    const value = numberIn(retrier, key);
    assert.ok(value !== undefined, `${key} is written out`);
    return value;
  };
  return Array.from(
    { length: number('MaxAttempts') },
    (_, attempt) =>
      1000 *
      Math.min(
        number('IntervalSeconds') * number('BackoffRate') ** attempt,
        number('MaxDelaySeconds'),
      ),
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

test('the linter’s name of what is transient is that of the class', () => {
  assert.ok(transientErrors.includes(new Transient('S3_UNAVAILABLE', '').name));
});
