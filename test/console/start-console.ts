import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { call } from '../api/call.ts';
import { startPawl } from '../support/start-pawl.ts';
import { waitFor } from '../support/wait-for.ts';
import { openTab, signIn, startBrowser, type Tab } from './browser.ts';

/** All of Pawl with the job types beside this file, and a browser on its console; for one test file. */
export async function startConsole(env: Readonly<Record<string, string>> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'pawl-console-'));
  const pawl = await startPawl({
    env: { JOB_TYPE_DIRS: fileURLToPath(new URL('./job-types', import.meta.url)), ...env },
  });
  after(async () => {
    await pawl.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const runtime = pawl.runtime();
  const { api, console: url, keys } = runtime;
  const browser = await startBrowser();
  // Open pages go on asking the API.
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  const gate = join(dir, 'closed');
  return {
    ...runtime,
    url,
    dir,
    browser,
    /** A file that a job's `closedWhile` names: the job fails while the gate is closed. */
    gate,
    closeGate: (): void => closeSync(openSync(gate, 'w')),
    openGate: (): void => rmSync(gate, { force: true }),
    submit: async (type: string, input: object, more: object = {}): Promise<string> => {
      const { status, body, text } = await call('POST', `${api}/jobs`, {
        key: keys.client,
        json: { type, input, ...more },
      });
      assert.equal(status, 202, text);
      return body.jobId;
    },
    until: async (jobId: string, status: string): Promise<void> => {
      await waitFor(
        async () =>
          (await call('GET', `${api}/jobs/${jobId}`, { key: keys.client })).body.status === status,
        30_000,
        `${jobId} to be ${status}`,
      );
    },
    asOperator: async (options = {}): Promise<Tab> => {
      const tab = await openTab(browser, url, options);
      await signIn(tab, keys.operator);
      return tab;
    },
  };
}

/** The verdict of a job's page, where it has this status. */
export const verdict = (page: Page, status: string) =>
  page.locator('h1 .status', { hasText: status });
