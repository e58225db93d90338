import { Type } from 'typebox';
import { assertSchema, SchemaTooOldError } from '../../jobs/store/migrate.ts';
import type { Api, AppDeps } from '../api.ts';
import { Problem } from '../problems.ts';
import { problemResponses } from '../schemas.ts';

/** GET /healthz: the process lives. GET /readyz: it may be sent requests. */
export function getHealth(api: Api, { sql }: AppDeps, isRefusing: () => boolean): void {
  const schema = (operationId: string, summary: string) => ({
    operationId,
    tags: ['service'],
    summary,
    security: [],
    response: { 200: Type.Object({ status: Type.Literal('ok') }), ...problemResponses },
  });
  const ok = { status: 'ok' } as const;
  api.get('/healthz', { schema: schema('isAlive', 'Does the process live?') }, async () => ok);
  api.get('/readyz', { schema: schema('isReady', 'Can it take requests?') }, async () => {
    if (isRefusing()) {
      throw new Problem('unavailable', {
        detail: 'this process is stopping, or has too much to do',
      });
    }
    try {
      await assertSchema(sql);
    } catch (error) {
      const detail =
        error instanceof SchemaTooOldError ? error.message : 'the database cannot be reached';
      throw new Problem('unavailable', { detail }, { 'retry-after': '2' });
    }
    return ok;
  });
}
