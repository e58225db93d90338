// Least privilege, over the whole suite: `npm test` runs this file after all others. Every AWS call that a process of Pawl
// made meanwhile (test/support/record-aws-calls.ts) is held against the synthesised policies of both stages.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { after, test } from 'node:test';
import type { Stage } from '../../infra/stages.ts';
import { permissionsBeyond, permissionsOf, refusedNeeds } from './least-privilege.ts';
import { type Need, recordedNeeds, unseenNeeds } from './needed.ts';
import { localAccount } from './account.ts';
import { type Policy, policiesOf } from './policies.ts';
import { createSynthesizer, dev, prod } from './synthesize.ts';
import { createResolver } from './template.ts';
import { unusedPermissions } from './unused-permissions.ts';

const folder = process.env['CALLS_DIR'];
if (folder === undefined) throw new Error('CALLS_DIR names no folder of calls: npm test does');

const { synthesize } = await createSynthesizer();
const policiesIn = (stage: Stage): ReadonlyMap<string, readonly Policy[]> => {
  const { templates } = synthesize(stage);
  return policiesOf(templates, createResolver(templates, localAccount({})));
};
/** As the stage is deployed, and the dispatcher function of a stage that has it. */
const everybody = (stage: Stage): ReadonlyMap<string, readonly Policy[]> => {
  const dispatch = policiesIn({ ...stage, dispatcher: 'lambda' }).get('dispatch');
  assert.ok(dispatch !== undefined);
  return new Map([...policiesIn({ ...stage, dispatcher: 'worker' }), ['dispatch', dispatch]]);
};
const inDev = { stage: dev, policies: everybody(dev) };
const stages = [inDev, { stage: prod, policies: everybody(prod) }];
const ofDev = inDev.policies;
const functions = [...ofDev.keys()].filter(
  (name) => !['api', 'worker'].includes(name) && !name.startsWith('machine '),
);

const recorded = recordedNeeds(folder);
const ofTests = new Set(
  recorded.map(({ component }) => component).filter((component) => !ofDev.has(component)),
);
const needsIn = (stage: Stage): Need[] => [
  ...recorded.filter(({ component }) => ofDev.has(component)),
  ...unseenNeeds(functions, stage),
];

test('every component that calls AWS was recorded', () => {
  const seen = new Set(recorded.map(({ component }) => component));
  const callers = permissionsOf(ofDev).filter(({ action }) => /^(s3|sqs|states):/.test(action));
  for (const { component } of callers) assert.ok(seen.has(component), component);
});

test('only functions of the tests’ own job types have no role', () => {
  const known = globSync('test/**/job-types/*/tasks/*.ts').map((file) => basename(file, '.ts'));
  const types = globSync('test/**/job-types/*').map((folder) => `machine ${basename(folder)}`);
  assert.deepEqual(
    [...ofTests].filter((component) => ![...known, ...types].includes(component)),
    [],
  );
});

for (const { stage, policies } of stages) {
  const needs = needsIn(stage);

  test(`every role of ${stage.name} may do what its component was seen to call`, async () => {
    assert.deepEqual(await refusedNeeds(policies, needs), []);
  });

  test(`what roles of ${stage.name} may do beyond that is a short list, each with its reason`, () => {
    const unexplained = permissionsBeyond(policies, needs).filter(
      ({ component, action }) =>
        !unusedPermissions.some(
          (entry) => entry.component.test(component) && entry.actions.includes(action),
        ),
    );
    assert.deepEqual(unexplained, []);
  });
}

test('no reason is left over', () => {
  const granted = permissionsOf(ofDev);
  const idle = unusedPermissions.flatMap((entry) =>
    entry.actions.filter(
      (action) =>
        !granted.some((pair) => pair.action === action && entry.component.test(pair.component)),
    ),
  );
  assert.deepEqual(idle, [], 'no role has these any longer');
});

after(() => {
  const needs = needsIn(dev);
  const actions = new Set(needs.map(({ component, action }) => `${component} ${action}`));
  console.log(
    `needed: ${needs.length} permissions, ${actions.size} (component, action) pairs; ` +
      `allowed: ${permissionsOf(ofDev).length} pairs, ${permissionsBeyond(ofDev, needs).length} of them beyond, under ${unusedPermissions.length} reasons`,
  );
});
