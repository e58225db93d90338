import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { newestMigration } from '../../jobs/store/migrate.ts';
import { testDatabase } from './test-database.ts';

const database = await testDatabase();
const sql = postgres(database.url, { max: 1 });
after(() => sql.end());

test('a test file gets a migrated, empty database', async () => {
  const [version] = await sql`select max(version)::integer as version from schema_migrations`;
  assert.equal(version?.['version'], newestMigration());
  const [jobs] = await sql`select count(*)::integer as count from jobs`;
  assert.equal(jobs?.['count'], 0);
});

test('two databases do not see each other', async () => {
  const other = await testDatabase();
  const otherSql = postgres(other.url, { max: 1 });
  await sql`insert into tenants (tenant_id, name) values ('only-here', 'Only here')`;
  const [tenants] = await otherSql`select count(*)::integer as count from tenants`;
  assert.equal(tenants?.['count'], 0);
  await otherSql.end();
});
