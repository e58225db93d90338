import { after } from 'node:test';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright, type Page } from 'playwright-core';

export type Tab = {
  readonly page: Page;
  /** What the page complained of: errors, warnings, and what the Content-Security-Policy refused. */
  readonly complaints: readonly string[];
};

/** A headless Chromium, for one test file. */
export async function startBrowser(): Promise<Browser> {
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    // One process for all tabs, which a Lambda wants, ends with the first tab that is closed.
    args: chromium.args.filter((arg) => arg !== '--single-process'),
  });
  after(async () => {
    await browser.close();
  });
  return browser;
}

/** A window of its own, with nothing kept, on the console's address. */
export async function openTab(
  browser: Browser,
  url: string,
  options: { readonly colorScheme?: 'light' | 'dark' } = {},
): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Chromium itself reports each answer of 4xx as an error of the page.
    const isOurs = !message.text().startsWith('Failed to load resource');
    if (isOurs && ['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints };
}

/** Signs in as a person does. */
export async function signIn({ page }: Tab, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** Goes to another page of the console as one of its own links does: without loading it anew. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', '/console/' + ${JSON.stringify(path)}); window.dispatchEvent(new PopStateEvent('popstate'));`,
  );
}
