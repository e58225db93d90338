import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { classify } from '../../jobs/classify.ts';
import { connect } from '../../jobs/store/connect.ts';
import { connectTo } from '../support/connect-test.ts';
import { testDatabase } from '../support/test-database.ts';

const database = await testDatabase();
const sql = connectTo(database.url, 8);
const killer = postgres(database.url, { max: 1, fetch_types: false });
after(() => killer.end({ timeout: 2 }));
await sql`create table pairs (id integer not null, half text not null, primary key (id, half))`;

test('backends killed all the time: every statement settles, none is half done, each failure is Transient', async () => {
  let running = true;
  let kills = 0;
  const kill = async (): Promise<void> => {
    while (running) {
      const rows = await killer`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'test' and random() < 0.3`;
      kills += rows.length;
      await delay(20);
    }
  };
  const killing = kill();
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, client) => insertPairs(client * 100, 100)),
  );
  running = false;
  await killing;
  const failures = outcomes.flat();
  for (const failure of failures)
    assert.equal(classify(failure).name, 'Transient', String(failure));
  const halves = await sql`select id from pairs group by id having count(*) <> 2`;
  assert.equal(halves.length, 0);
  const [stored] = await sql<
    { count: number }[]
  >`select count(distinct id)::integer as count from pairs`;
  // An error may hide a commit, so at least what succeeded is there.
  assert.ok((stored?.count ?? 0) >= 800 - failures.length);
  assert.ok(kills > 0);
});

async function insertPairs(from: number, count: number): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (let id = from; id < from + count; id += 1) {
    try {
      await sql`with first as (insert into pairs values (${id}, 'first')) insert into pairs values (${id}, 'second')`;
    } catch (error) {
      failures.push(error);
    }
  }
  return failures;
}

test('a statement without an answer ends at its deadline, as Transient', async () => {
  const config = { url: database.url, poolSize: 1, statementTimeoutMs: 100, lockTimeoutMs: 5_000 };
  const impatient = connect(config, 'impatient');
  await assert.rejects(
    impatient`select pg_sleep(30)`,
    (error) => classify(error).code === 'DATABASE_UNAVAILABLE',
  );
  await impatient.end({ timeout: 2 });
});
