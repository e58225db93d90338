import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../api/call.ts';
import { startConsole, verdict } from './start-console.ts';

const { api, url, keys, gate, closeGate, openGate, submit, until, asOperator } =
  await startConsole();

type Child = {
  readonly arn: string;
  readonly name: string;
  readonly status: string;
  readonly redriveCount: number;
};

test('a distributed Map is looked into: its children, the one that failed with its attempts and events, and its redrive', async () => {
  closeGate();
  const jobId = await submit('rounds', { closedWhile: gate });
  await until(jobId, 'FAILED');
  const tab = await asOperator();
  const { page } = tab;
  await page.goto(`${url}jobs/${jobId}`);
  await verdict(page, 'FAILED').waitFor();
  const run = page.getByRole('region', { name: 'Map Run' });
  await run.getByText(/^3 children: .*1 failed/).waitFor();
  await run.getByRole('combobox', { name: 'Status' }).selectOption('FAILED');
  await run.getByRole('row').nth(1).getByRole('button').click();
  const child = page.getByRole('region', { name: /^Child / });
  await child.getByRole('button', { name: /^Ready Pass, SUCCEEDED/ }).waitFor();
  await child.getByRole('button', { name: /^Round Task, FAILED/ }).waitFor();
  await child
    .getByRole('cell', { name: /FAILED Terminal the last round meets a closed gate/ })
    .waitFor();
  await child.getByRole('listitem').filter({ hasText: 'ExecutionFailed' }).waitFor();
  assert.match(page.url(), /child=arn/);

  openGate();
  await page.getByRole('button', { name: 'Redrive …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('the gate is open');
  await dialog.getByRole('button', { name: 'Redrive', exact: true }).click();
  await verdict(page, 'SUCCEEDED').waitFor();
  // What is shown is in the address: loaded anew it is the same child, now redriven.
  await page.goto(`${page.url()}${page.url().includes('state=') ? '' : '&state=EachRound'}`);
  await run.getByText('redriven 1×').waitFor();
  await child.getByRole('listitem').filter({ hasText: 'ExecutionRedriven' }).waitFor();
  await child.getByRole('button', { name: /^Round Task · 2 attempts, SUCCEEDED/ }).waitFor();
  assert.deepEqual(tab.complaints, []);
});

test('only the children of the job’s own Map Runs are shown, and to operators only', async () => {
  openGate();
  const jobs = [await submit('rounds', {}), await submit('rounds', {})];
  for (const jobId of jobs) await until(jobId, 'SUCCEEDED');
  const ask = async (path: string, key = keys.operator) =>
    await call('GET', `${api}/jobs/${path}`, { key });
  const runOf = async (jobId = '') => {
    const { body } = await ask(`${jobId}/map-runs`);
    const [run] = body['mapRuns'] as { mapRunId: string; executionCounts: { total: number } }[];
    assert.equal(run?.executionCounts.total, 3);
    return `${jobId}/map-runs/${run.mapRunId}`;
  };
  const [own, other] = [await runOf(jobs[0]), await runOf(jobs[1])];
  const children = (await ask(`${own}/children?limit=2`)).body;
  assert.equal((children['children'] as Child[]).length, 2);
  const rest = (
    await ask(
      `${own}/children?limit=2&nextToken=${encodeURIComponent(String(children['nextToken']))}`,
    )
  ).body;
  const [last] = rest['children'] as Child[];
  assert.ok(last);
  const arn = encodeURIComponent(last.arn);
  const shown = await ask(`${own}/child?arn=${arn}`);
  assert.equal(shown.body['name'], last.name);
  assert.ok((shown.body['events'] as unknown[]).length > 5);
  assert.equal((await ask(`${other}/child?arn=${arn}`)).body['code'], 'execution-not-found');
  assert.equal((await ask(`${jobs[0]}/map-runs/none/children`)).body['code'], 'map-run-not-found');
  assert.equal((await ask(`${own}/children`, keys.client)).status, 403);
});
