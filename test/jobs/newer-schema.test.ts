// Migrations run before the services change, so the code of before goes on with the schema of after.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertSchema, migrate, newestMigration } from '../../jobs/store/migrate.ts';
import { findFreePort } from '../../local/processes/free-port.ts';
import { connectTo } from '../support/connect-test.ts';
import { startServer } from '../support/start-server.ts';
import { testDatabase } from '../support/test-database.ts';

const database = await testDatabase();
const sql = connectTo(database.url, 2);
const newest = newestMigration();

test('a database that lacks a migration is refused, with what is missing and what to run', async () => {
  await sql`update schema_migrations set version = -1 where version = ${newest}`;
  await assert.rejects(assertSchema(sql), {
    name: 'SchemaTooOldError',
    message: new RegExp(`needs ${newest}: run "npm run migrate"`),
  });
  await sql`update schema_migrations set version = ${newest} where version = -1`;
  await assertSchema(sql);
});

test('on a newer database the API starts and is ready, and migrating it again does nothing', async () => {
  await sql`insert into schema_migrations (version, name, md5, run_at) values (${newest + 1}, 'of the next release', '', now())`;
  await assertSchema(sql);
  assert.deepEqual(await migrate(database.url), []);
  const port = await findFreePort();
  const nowhere = 'http://127.0.0.1:9';
  const queue = `${nowhere}/000000000000/job-requests`;
  const env = {
    PORT: String(port),
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    JOB_REQUESTS_QUEUE_URL: queue,
    JOB_REQUESTS_DLQ_URL: queue,
    EXECUTION_EVENTS_QUEUE_URL: queue,
    EXECUTION_EVENTS_DLQ_URL: queue,
    PAYLOAD_BUCKET: 'none',
    STATE_MACHINE_ARN_PREFIX: 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL: nowhere,
  };
  const api = await startServer('api/server.ts', env, `http://127.0.0.1:${port}/readyz`);
  after(() => api.end('SIGTERM'));
});

test('a migration that takes something away says since when nothing uses it', () => {
  const folder = fileURLToPath(new URL('../../migrations/', import.meta.url));
  /** The rule is younger than these. */
  const firstUnderTheRule = 21;
  const takesAway = /\bdrop\s+(table|column)\b|\brename\b/i;
  const silent = readdirSync(folder)
    .filter((name) => Number(/^(\d+)\.do\./.exec(name)?.[1] ?? 0) >= firstUnderTheRule)
    .filter((name) => {
      const text = readFileSync(`${folder}${name}`, 'utf8');
      return takesAway.test(text) && !/^-- contract: nothing since migration \d+ uses /m.test(text);
    });
  assert.deepEqual(silent, [], 'docs/decisions/newer-schema.md');
});
