// What holds for the state machine of every job type: it is valid, and nothing goes against the rules of lint-definition.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultEffectTiming } from '../../jobs/effect-log.ts';
import { Transient } from '../../jobs/failure.ts';
import { validateDefinition } from '../../local/stepfunctions/definition/validate-definition.ts';
import { functionNameOf } from '../../statemachines/job-type.ts';
import { transientErrors } from '../../statemachines/lint/retry-rules.ts';
import { describeProblem, lintDefinition } from '../../statemachines/lint-definition.ts';
import { loadJobTypes, resolveDefinition } from '../../statemachines/registry.ts';

const effectLeaseSeconds = defaultEffectTiming.leaseMs / 1000;

for (const jobType of (await loadJobTypes()).values()) {
  test(`${jobType.type}: the definition is valid, and names only tasks that are listed`, () => {
    const arn = (name: string): string =>
      `arn:aws:lambda:us-east-1:000000000000:function:${functionNameOf(name)}`;
    const resolved = resolveDefinition(jobType, arn);
    assert.deepEqual(validateDefinition(resolved, { type: 'STANDARD' }).diagnostics, []);
  });

  test(`${jobType.type}: the linter finds nothing`, () => {
    const problems = lintDefinition(jobType, { effectLeaseSeconds });
    assert.deepEqual(problems.map(describeProblem), []);
  });
}

test('the linter’s name of what is transient is that of the class', () => {
  assert.ok(transientErrors.includes(new Transient('S3_UNAVAILABLE', '').name));
});
