import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statementMs, timingStatements } from '../../jobs/store/statement-time.ts';
import { connectTest } from '../support/connect-test.ts';

const sql = await connectTest();

test('what the statements of one piece of work took is added up, and that of others is not', async () => {
  const [slow, quick] = await Promise.all([
    timingStatements(async () => {
      await sql`select pg_sleep(0.2)`;
      await sql`select pg_sleep(0.2)`;
      return statementMs();
    }),
    timingStatements(async () => {
      await sql`select 1`;
      return statementMs();
    }),
  ]);
  assert.ok(slow >= 400, `${slow} ms`);
  assert.ok(quick < slow);
  assert.equal(statementMs(), 0);
});
