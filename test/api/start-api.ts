import { after } from 'node:test';
import type { AppDeps } from '../../api/api.ts';
import { createApp } from '../../api/app.ts';
import { closeApp } from '../../api/close-app.ts';
import type { KeyScope } from '../../jobs/store/api-keys.ts';
import type { Sql } from '../../jobs/store/connect.ts';
import type { OutboxRow } from '../../jobs/store/outbox.ts';
import { connectTest } from '../support/connect-test.ts';
import { appDeps, keyFor } from './app-deps.ts';

export type TestApi = {
  readonly url: string;
  readonly sql: Sql;
  /** What the API handed to the relay, in order. */
  readonly handedOver: readonly OutboxRow[];
  /** A key of a tenant, made with it where it is new; `null` makes an operator's key. */
  keyFor(tenantId: string | null, scopes?: readonly KeyScope[]): Promise<string>;
  close(): Promise<void>;
};

/** The whole API on a port of its own and a database of this test file's own. */
export async function startApi(overrides: Partial<AppDeps> = {}): Promise<TestApi> {
  const sql = overrides.sql ?? (await connectTest());
  const handedOver: OutboxRow[] = [];
  const relay = { publishSoon: (row: OutboxRow) => void handedOver.push(row) };
  const app = await createApp({ ...appDeps(sql, relay), ...overrides });
  after(() => closeApp(app));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    sql,
    handedOver,
    keyFor: (tenantId, scopes) => keyFor(sql, tenantId, scopes),
    close: () => closeApp(app),
  };
}
