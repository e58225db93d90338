import { createApp } from '../api/app.ts';
import { closeApp } from '../api/close-app.ts';
import type { Sql } from '../jobs/store/connect.ts';
import { appDeps } from '../test/api/app-deps.ts';

/** The API in this process, on a free port, over the given database; what it accepts is handed to nobody. */
export async function openApi(sql: Sql): Promise<{ url: string; close(): Promise<void> }> {
  const app = await createApp({
    ...appDeps(sql, { publishSoon: () => undefined }),
    loadLimits: { maxInFlight: 100_000, maxLoopDelayMs: 60_000 },
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => closeApp(app) };
}
