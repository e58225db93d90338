// The function that migrates on AWS, as it is packed, against an empty database.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { newestMigration } from '../../jobs/store/migrate.ts';
import { listen } from '../../local/processes/listen.ts';
import { findFreePort } from '../../local/processes/free-port.ts';
import { testDatabase } from '../support/test-database.ts';
import { createSynthesizer } from './synthesize.ts';

const role = 'pawl_of_migrations_test';
const { url: templateUrl } = await testDatabase();
const admin = new URL(templateUrl);
const emptyName = `${admin.pathname.slice(1)}_empty`;
const server = postgres(templateUrl, { max: 1, fetch_types: false });
await server`create database ${server(emptyName)}`;
const url = new URL(templateUrl);
url.pathname = `/${emptyName}`;
/** While the server still runs: testDatabase() stops it when the file's tests are over. */
async function cleanUp(): Promise<void> {
  await server`drop database if exists ${server(emptyName)} with (force)`;
  await server`drop role if exists ${server(role)}`;
  await server.end();
}

/** AWS Secrets Manager, as far as GetSecretValue goes. */
const secretsPort = await findFreePort();
const secrets = createServer((_request, response) => {
  const SecretString = JSON.stringify({ username: admin.username, password: admin.password });
  response.setHeader('content-type', 'application/x-amz-json-1.1');
  response.end(JSON.stringify({ SecretString }));
});
await listen(secrets, secretsPort);
after(() => secrets.close());

const { bundles } = await createSynthesizer();
const bundle = bundles.get('migrate');
assert.ok(bundle !== undefined);
const withoutUser = new URL(url);
withoutUser.username = '';
withoutUser.password = '';
Object.assign(process.env, {
  DATABASE_URL: withoutUser.href,
  DATABASE_ROLE: role,
  ADMIN_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:rds!db',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${secretsPort}`,
});
const file = join(bundle.folder, `${bundle.handler.replace(/\.handler$/, '')}.mjs`);
const { handler }: { handler: () => Promise<{ applied: string[] }> } = await import(
  pathToFileURL(file).href
);

test('it brings an empty database to the newest schema, and does nothing the second time', async () => {
  const first = await handler();
  assert.equal(first.applied.length > 0, true);
  assert.deepEqual((await handler()).applied, []);
  const sql = postgres(url.href, { max: 1, fetch_types: false });
  const [row] = await sql`select max(version)::integer as version from schema_migrations`;
  assert.equal(row?.['version'], newestMigration());
  await sql.end();
});

test('the role of Pawl’s processes reads and writes every table, and changes none', async (t) => {
  t.after(cleanUp);
  const sql = postgres(url.href, { max: 1, fetch_types: false });
  await sql.unsafe(`alter role ${role} password 'of-the-test'`);
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public'`;
  assert.ok(tables.length > 8);
  const rights = await sql<{ name: string; rights: boolean }[]>`
    select tablename as name,
      has_table_privilege(${role}, 'public.' || quote_ident(tablename), 'select')
      and has_table_privilege(${role}, 'public.' || quote_ident(tablename), 'insert')
      and has_table_privilege(${role}, 'public.' || quote_ident(tablename), 'update')
      and has_table_privilege(${role}, 'public.' || quote_ident(tablename), 'delete') as rights
    from pg_tables where schemaname = 'public'`;
  assert.deepEqual(
    rights.filter(({ rights }) => !rights).map(({ name }) => name),
    [],
  );
  await sql.end();

  const asRole = new URL(url);
  asRole.username = role;
  asRole.password = 'of-the-test';
  const own = postgres(asRole.href, { max: 1, fetch_types: false });
  const [timeouts] = await own`select current_setting('statement_timeout') as statement`;
  assert.equal(timeouts?.['statement'], '10s');
  await assert.rejects(own`create table mine (id integer)`, /permission denied/);
  await assert.rejects(own`alter table jobs add column mine integer`, /must be owner/);
  await own.end();
});
