// One attempt in a process of its own, for the tests that kill or stop it: node attempt-process.ts <JSON>.
import { createHttpClient } from '../../tasks/runtime/http-client.ts';
import { callProvider } from '../../tasks/runtime/effect.ts';
import { connect } from '../../jobs/store/connect.ts';
import type { EffectPolicy } from '../../jobs/config.ts';
import type { EffectTiming } from '../../jobs/effect-log.ts';
import type { Run } from './effect-fixture.ts';

export type AttemptOrder = {
  readonly databaseUrl: string;
  readonly run: Run;
  readonly url: string;
  readonly policy: EffectPolicy;
  readonly timing: EffectTiming;
};

const order: AttemptOrder = JSON.parse(process.argv[2] ?? '');
const { run, policy, url, timing } = order;
const sql = connect(
  { url: order.databaseUrl, poolSize: 1, statementTimeoutMs: 5_000, lockTimeoutMs: 5_000 },
  'attempt',
);
const http = createHttpClient();
try {
  const { replayed } = await callProvider(
    { sql, http, timing, fence: run.fence, tenantId: run.tenantId as never },
    {
      key: run.key,
      policy,
      provider: 'stub',
      operation: 'confirm',
      content: { order: run.key },
      request: () => ({ method: 'POST', url, headers: {}, body: '{}' }),
      lookup: () => ({ method: 'GET', url, headers: {} }),
    },
  );
  console.log(replayed ? 'success replayed' : 'success');
} catch (error) {
  console.log(
    error instanceof Error && 'code' in error ? `${error.name} ${String(error.code)}` : error,
  );
}
http.close();
await sql.end({ timeout: 2 });
