import type { Api } from './api.ts';

/** Longer than any request takes that is not held; held ones end by themselves when the app closes. */
const graceMs = 10_000;

/** Lets requests in flight end. A connection is closed when its request is done, or it would be kept for the next. */
export async function closeApp(app: Api): Promise<void> {
  const closeIdle = setInterval(() => app.server.closeIdleConnections(), 50);
  const closeAll = setTimeout(() => app.server.closeAllConnections(), graceMs);
  await app.close();
  clearInterval(closeIdle);
  clearTimeout(closeAll);
}
