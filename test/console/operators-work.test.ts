import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseTenantId } from '../../jobs/ids.ts';
import { createApiKey, prefixOfKey } from '../../jobs/store/api-keys.ts';
import { call } from '../api/call.ts';
import { connectTo } from '../support/connect-test.ts';
import { waitFor } from '../support/wait-for.ts';
import { openTab, signIn } from './browser.ts';
import { startConsole, verdict } from './start-console.ts';

const {
  api,
  url,
  keys,
  dir,
  tenantId,
  providers,
  databaseUrl,
  browser,
  submit,
  until,
  asOperator,
} = await startConsole();

test('open jobs are cancelled in bulk from the list: dry run, name, reason, pace, pause, resume', async () => {
  const notBefore = new Date(Date.now() + 3_600_000).toISOString();
  const tags = { wave: 'wrong' };
  const jobs: string[] = [];
  for (let n = 0; n < 6; n += 1) jobs.push(await submit('tour', {}, { notBefore, tags }));
  const other = await submit('tour', {}, { notBefore });
  const tab = await asOperator();
  const { page } = tab;
  await page.goto(`${url}jobs?type=tour&tag=wave:wrong`);
  await page.getByRole('link', { name: 'Cancel all that match …' }).click();
  await page.getByText('this takes the open ones only').waitFor();
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByText('6 of 6 jobs would be cancelled').waitFor();
  await page.getByLabel('Name').fill('wrong wave');
  await page.getByLabel('Reason').fill('sent by mistake');
  await page.getByLabel('Jobs a second').fill('0.05');
  await page.getByRole('button', { name: 'Cancel 6', exact: true }).click();
  await page.getByRole('heading', { name: 'RUNNING wrong wave' }).waitFor();
  const answer = async (verb: string, reason: string): Promise<void> => {
    await page.getByRole('button', { name: `${verb} …` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name: `${verb} this bulk cancel` }).click();
  };
  await answer('Pause', 'asking first');
  await page.getByRole('heading', { name: 'PAUSED wrong wave' }).waitFor();
  await page.getByLabel('go on at').fill('100');
  await answer('Resume', 'asked');
  await page.getByRole('heading', { name: 'COMPLETED wrong wave' }).waitFor();
  await page.getByRole('status').getByText('6 of 6: 6 cancelled, 0 skipped').waitFor();
  for (const jobId of jobs) await until(jobId, 'CANCELLED');
  const { body } = await call('GET', `${api}/jobs/${other}`, { key: keys.client });
  assert.equal(body.status, 'PENDING');
  await page.getByRole('link', { name: 'All bulk operations' }).click();
  await page.getByRole('row', { name: /wrong wave cancel COMPLETED/ }).waitFor();
  assert.deepEqual(tab.complaints, []);
});

test('a bulk operation takes the failure text of the list’s filter', async () => {
  const tab = await asOperator();
  const { page } = tab;
  await page.goto(`${url}jobs?status=FAILED&failureText=no+such+text`);
  await page.getByRole('link', { name: 'Redrive all that match …' }).click();
  assert.equal(await page.getByLabel('Failure text').inputValue(), 'no such text');
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByText('0 of 0 jobs would be redriven').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Redrive 0' }).isDisabled());
});

test('keys are listed without their secrets, and one is revoked with a reason', async () => {
  const sql = connectTo(databaseUrl, 1);
  const tenant = parseTenantId(tenantId);
  assert.ok(tenant);
  const { key } = await createApiKey(sql, {
    tenantId: tenant,
    scopes: ['jobs:read'],
    name: 'lost <b>phone</b>',
  });
  const tab = await asOperator();
  const { page } = tab;
  await page.goto(`${url}operations/keys`);
  const row = page.getByRole('row').filter({ hasText: 'lost <b>phone</b>' });
  await row.getByText(prefixOfKey(key) ?? '?').waitFor();
  assert.ok(!(await page.content()).includes(key.slice(-43)));
  await row.getByRole('button', { name: 'Revoke …' }).click();
  // What is asked for has the focus: it is typed and sent by keyboard alone.
  await page.getByRole('dialog').getByLabel('Reason').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('the phone is lost');
  await page.keyboard.press('Enter');
  await row.getByText(/revoked/).waitFor();
  assert.equal((await call('GET', `${api}/jobs`, { key })).status, 401);
  await page.getByRole('tab', { name: 'Audit' }).click();
  await page.getByRole('cell', { name: 'the phone is lost' }).waitFor();
  assert.deepEqual(tab.complaints, []);
});

test('an answer of a provider that no job will read is looked at, and said to be dealt with', async () => {
  const jobId = await submit('order-settlement', {
    orderId: 'twofold',
    customerEmail: 'twofold@example.com',
    currency: 'IDR',
    items: [{ sku: 'serum-30', quantity: 1, unitPrice: 149_000 }],
  });
  await until(jobId, 'SUCCEEDED');
  // The provider says declined, after it had said that it was paid.
  const reference = `${tenantId}/order:twofold:payment:1`;
  const sent = await fetch(new URL('/webhooks', providers.payment), {
    method: 'POST',
    body: JSON.stringify({ reference, outcome: 'declined', forged: false }),
  });
  assert.ok(sent.ok);
  // Answers may have been stored before all of this was asked of them: they are listed with what they have.
  const sql = connectTo(databaseUrl, 1);
  await sql`update callbacks set answer = answer - 'amount' - 'currency' - 'at' where job_id = ${jobId}`;
  const tab = await asOperator();
  const { page } = tab;
  await page
    .getByRole('listitem')
    .filter({ hasText: '1 answer of a provider that no job will read' })
    .getByRole('link', { name: 'Look' })
    .click();
  const row = page.getByRole('row').filter({ hasText: jobId });
  await row.getByText('had answered succeeded before').waitFor();
  await row.getByText('"succeeded"').waitFor();
  await row.getByText('"declined"').waitFor();
  await row.getByRole('button', { name: 'Resolve …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('the provider confirms that it was paid');
  await dialog.getByRole('button', { name: 'It has been dealt with' }).click();
  await page.getByText('No answer is held').waitFor();
  assert.deepEqual(tab.complaints, []);
});

test('a job is exported as JSON, and copied as curl and as a command, without the key', async () => {
  const jobId = await submit('tour', {});
  await until(jobId, 'SUCCEEDED');
  const tab = await asOperator();
  const { page } = tab;
  await page.goto(`${url}jobs/${jobId}`);
  await page.locator('[data-state="MarkSucceeded"][data-status="SUCCEEDED"]').waitFor();
  await page.getByRole('tab', { name: 'Effects 1' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as JSON' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), `job-${jobId}.json`);
  const exported: Record<string, unknown> = JSON.parse(readFileSync(await download.path(), 'utf8'));
  assert.deepEqual(Object.keys(exported), [
    'job',
    'trail',
    'effects',
    'execution',
    'definition',
    'history',
  ]);
  assert.ok(!Object.values(exported).includes(null));
  for (const [label, command] of [
    ['Copy as curl', `curl -sS -H "Authorization: Bearer $PAWL_KEY" ${api}/jobs/${jobId}`],
    ['Copy as CLI', `npm run pawl -- get ${jobId}`],
  ] as const) {
    await page.getByRole('button', { name: label }).click();
    const copied = async () => await page.evaluate('navigator.clipboard.readText()');
    await waitFor(async () => (await copied()) === command, 5_000, `${label} to be copied`);
  }
  assert.deepEqual(tab.complaints, []);
});

test('a state machine is shown with what the linter finds in it', async () => {
  const { page } = await asOperator();
  await page.goto(`${url}machines/order-settlement`);
  await page.getByText('Nothing goes against the rules').waitFor();
  await page.getByRole('link', { name: 'tour', exact: true }).click();
  const findings = page.getByRole('region', { name: 'Lint findings' });
  await findings.getByText('its Retry leaves out States.Timeout').first().waitFor();
  await page.getByRole('button', { name: /^Gate Task/ }).waitFor();
  const reader = await openTab(browser, url);
  await signIn(reader, keys.client);
  await reader.page.goto(`${url}machines/tour`);
  await reader.page.getByRole('button', { name: /^Gate Task/ }).waitFor();
  assert.equal(await reader.page.getByRole('region', { name: 'Lint findings' }).count(), 0);
  assert.deepEqual(reader.complaints, []);
});

test('a large file goes up in parts at the same time, its progress told by bytes, and is what was hashed', async () => {
  const file = join(dir, 'large.bin');
  const block = randomBytes(10_100_000);
  for (let n = 0; n < 10; n += 1) appendFileSync(file, block);
  const tab = await openTab(browser, url);
  const { page } = tab;
  await signIn(tab, keys.client);
  await page.goto(`${url}try`);
  await page.getByRole('combobox', { name: 'Type' }).selectOption('tour');
  const puts: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT')
      puts.push(new URL(request.url()).searchParams.get('partNumber') ?? '');
  });
  await page.getByLabel('Payload').setInputFiles(file);
  // Each step that is told, as a reader of the page has it.
  await page.evaluate(`
    window.told = [];
    new MutationObserver(() => {
      const text = document.querySelector('.upload')?.textContent ?? '';
      if (text !== window.told.at(-1)) window.told.push(text);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });`);
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.waitForURL(/\/console\/jobs\/[0-9a-f-]{36}$/, { timeout: 60_000 });
  const told = String(await page.evaluate(`window.told.join('\\n')`));
  assert.match(told, /Hashing: [1-9][\d.]+ MiB of 96.3 MiB/);
  // Not only whole parts, which are of 16 MiB, and the last of 0.3.
  const sentMiB = [...told.matchAll(/Sending: ([\d.]+) MiB/g)].map(([, value]) => Number(value));
  assert.ok(
    sentMiB.some((value) => ![0, 0.3].includes(Number((value % 16).toFixed(1)))),
    told,
  );
  assert.deepEqual(puts.toSorted(), ['1', '2', '3', '4', '5', '6', '7']);
  const jobId = page.url().split('/').at(-1) ?? '';
  await verdict(page, 'SUCCEEDED').waitFor();
  const { body } = await call('GET', `${api}/jobs/${jobId}/trail`, { key: keys.operator });
  const { sha256 } = (body['request'] as { payloadRef: { sha256: string } }).payloadRef;
  assert.equal(sha256, createHash('sha256').update(readFileSync(file)).digest('hex'));
  assert.deepEqual(tab.complaints, []);
});
