import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statementMs, timingStatements } from '../../jobs/store/statement-time.ts';
import { shareStatement } from '../../jobs/share-statement.ts';
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

test('a statement that several share is counted once for each of those who waited for it', async () => {
  const shared = shareStatement<number, number>({
    maxItems: 10,
    maxInFlight: 1,
    together: async (items) => {
      await sql`select pg_sleep(0.2)`;
      return items;
    },
  });
  const waited = await Promise.all(
    [1, 2, 3].map((item) =>
      timingStatements(async () => {
        assert.equal(await shared(item), item);
        return statementMs();
      }),
    ),
  );
  // Twice would be 400 ms; a busy machine may add to each, but not a whole statement's time to one of them.
  assert.ok(Math.min(...waited) >= 200, `${waited.join(', ')} ms`);
  assert.ok(Math.max(...waited) - Math.min(...waited) < 150, `${waited.join(', ')} ms`);
});
