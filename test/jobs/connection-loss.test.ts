import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { classify } from '../../jobs/classify.ts';
import { connect } from '../../jobs/store/connect.ts';
import { boundBy } from '../../jobs/store/statement-deadline.ts';
import { inTransaction } from '../../jobs/store/transaction.ts';
import { connectTo } from '../support/connect-test.ts';
import { waitFor } from '../support/wait-for.ts';
import { testDatabase } from '../support/test-database.ts';

const database = await testDatabase();
const sql = connectTo(database.url, 8);
const killer = postgres(database.url, { max: 1, fetch_types: false });
after(() => killer.end({ timeout: 2 }));
await sql`create table pairs (id integer not null, half text not null, primary key (id, half))`;

/** Eight clients write pair after pair while backends are killed at random, until 15 have been killed. */
async function underKills(write: (id: number) => Promise<unknown>) {
  const seen = { kills: 0, written: 0, failures: [] as unknown[] };
  const enough = (): boolean => seen.kills >= 15 || seen.written >= 20_000;
  const kill = async (): Promise<void> => {
    while (!enough()) {
      const rows = await killer`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'test' and random() < 0.3`;
      seen.kills += rows.length;
      await delay(50);
    }
  };
  const client = async (): Promise<void> => {
    while (!enough()) {
      seen.written += 1;
      await write(seen.written).catch((error: unknown) => seen.failures.push(error));
    }
  };
  await Promise.all([kill(), ...Array.from({ length: 8 }, client)]);
  for (const failure of seen.failures) {
    assert.equal(classify(failure).name, 'Transient', String(failure));
    // A statement that waits for its deadline, or a connection that never opens again, is one the library has wedged.
    assert.doesNotMatch(String(failure), /within \d+ ms|CONNECT_TIMEOUT/);
  }
  const halves = await settledQuery(
    () => sql`select id from pairs group by id having count(*) <> 2`,
  );
  assert.equal(halves.length, 0);
  const [stored] = await sql<{ count: number }[]>`
    select count(distinct id)::integer as count from pairs`;
  // An error may hide a commit, so at least what succeeded is there.
  assert.ok((stored?.count ?? 0) >= seen.written - seen.failures.length);
  assert.ok(
    seen.kills >= 15 && seen.failures.length > 0,
    `${seen.kills} kills, ${seen.failures.length} failures`,
  );
}

/** After the last kill a connection may still have to be noticed as dead. */
async function settledQuery<Rows>(query: () => PromiseLike<Rows>): Promise<Rows> {
  let rows: Rows | undefined;
  await waitFor(
    async () => {
      const answers = await Promise.allSettled(Array.from({ length: 32 }, query));
      const [first] = answers;
      if (first?.status === 'fulfilled') rows = first.value;
      return answers.every((answer) => answer.status === 'fulfilled');
    },
    5_000,
    'every connection of the pool to answer',
  );
  assert.ok(rows);
  return rows;
}

test('backends killed all the time: every statement settles, none is half done, each failure is Transient', async () => {
  await underKills(async (id) => {
    await sql`
      with first as (insert into pairs values (${id}, 'first')) insert into pairs values (${id}, 'second')`;
  });
});

test('while backends are killed all the time, an answer is that of its own statement', async () => {
  await underKills(async (id) => {
    const rows = await sql<{ id: number }[]>`select ${id}::integer as id`;
    assert.deepEqual([...rows], [{ id }]);
    await sql`insert into pairs values (${-id}, 'first'), (${-id}, 'second')`;
  });
});

test('transactions whose backends are killed are whole or not at all, and none hangs', async () => {
  await sql`truncate pairs`;
  await underKills(async (id) => {
    await inTransaction(sql, async (tx) => {
      await tx`insert into pairs values (${id}, 'first')`;
      await tx`insert into pairs values (${id}, 'second')`;
    });
  });
});

test('a transaction that throws leaves nothing behind', async () => {
  await sql`truncate pairs`;
  const failing = inTransaction(sql, async (tx) => {
    await tx`insert into pairs values (1, 'first')`;
    throw new Error('changed its mind');
  });
  await assert.rejects(failing, { message: 'changed its mind' });
  assert.equal((await sql`select from pairs`).length, 0);
});

test('a statement that was settled by something else than its answer has failed, as Transient', async () => {
  const query = Promise.resolve(Object.assign([], { command: null }));
  boundBy(query, 1_000);
  await assert.rejects(
    async () => await query.then(),
    (error) => classify(error).code === 'DATABASE_UNAVAILABLE',
  );
});

test('a pool that was ended opens no connection again, and leaves none', async () => {
  const config = {
    url: database.url,
    poolSize: 4,
    statementTimeoutMs: 5_000,
    lockTimeoutMs: 5_000,
  };
  const short = connect(config, 'short-lived');
  const connections = async (): Promise<number> => {
    const [row] = await killer<{ count: number }[]>`
      select count(*)::integer as count from pg_stat_activity where application_name = 'short-lived'`;
    return row?.count ?? 0;
  };
  const sleeping = Array.from({ length: 4 }, async () => await short`select pg_sleep(2)`);
  const all = Promise.allSettled(sleeping);
  await waitFor(async () => (await connections()) === 4, 2_000, 'four connections');
  await killer`
    select pg_terminate_backend(min(pid)) from pg_stat_activity where application_name = 'short-lived'`;
  await assert.rejects(Promise.all(sleeping), (error) => classify(error).name === 'Transient');
  await short`select 1`;
  await short.end({ timeout: 0 });
  for (const each of await all) assert.equal(each.status, 'rejected');
  await assert.rejects(async () => await short`select 1`, { code: 'CONNECTION_ENDED' });
  await waitFor(async () => (await connections()) === 0, 5_000, 'no connection to be left');
});

test('a statement without an answer ends at its deadline, as Transient', async () => {
  const config = { url: database.url, poolSize: 1, statementTimeoutMs: 100, lockTimeoutMs: 5_000 };
  const impatient = connect(config, 'impatient');
  await assert.rejects(
    impatient`select pg_sleep(30)`,
    (error) => classify(error).code === 'DATABASE_UNAVAILABLE',
  );
  await impatient.end({ timeout: 2 });
});
