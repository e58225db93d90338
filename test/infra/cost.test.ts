// The cost model is made from what is deployed, and a definition cannot grow unnoticed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { costPage, costPageFile } from '../../infra/cost/cost-page.ts';
import { jobCost, sumOf, workOf } from '../../infra/cost/job-cost.ts';
import { stageCost } from '../../infra/cost/stage-cost.ts';
import { stages } from '../../infra/stages.ts';
import { loadJobTypes } from '../../statemachines/registry.ts';

const registry = await loadJobTypes();

/** On the longest way without errors. Whoever makes one larger says so here, and in docs/cost.md. */
const transitions: Readonly<Record<string, number>> = {
  'batch-import': 9,
  'document-metadata': 7,
  'order-settlement': 9,
};

test('a job of each type takes no more transitions than were agreed on', () => {
  for (const [type, agreed] of Object.entries(transitions)) {
    const jobType = registry.get(type);
    assert.ok(jobType !== undefined, type);
    assert.equal(workOf(jobType).transitions, agreed, type);
  }
});

test('transitions are the greatest part of what a job costs', () => {
  for (const jobType of registry.values()) {
    const cost = jobCost(workOf(jobType), jobType.payload);
    assert.ok(cost.transitions > sumOf(cost) / 2, jobType.type);
  }
});

test('dev costs less than 100 USD a month while it waits', () => {
  assert.ok(sumOf(stageCost(stages.dev)) < 100);
});

test('docs/cost.md is what the definitions and prices give', () => {
  const hint = 'run: node infra/cost/cost-page.ts';
  assert.equal(readFileSync(costPageFile, 'utf8'), costPage(registry), hint);
});
