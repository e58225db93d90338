import postgres from 'postgres';
import { parseTenantId } from '../../jobs/ids.ts';
import { createApiKey, ensureTenant } from '../../jobs/store/api-keys.ts';
import { migrate } from '../../jobs/store/migrate.ts';
import type { RunningPostgres } from '../postgres/start-postgres.ts';
import type { KeptSettings } from './kept-settings.ts';

/** Makes the database, migrates it, and stores the tenant and the two keys. */
export async function provisionDatabase(
  server: RunningPostgres,
  database: string,
  { tenantId, keys }: KeptSettings,
): Promise<void> {
  const url = server.urlOf(database);
  await makeDatabase(server.urlOf('postgres'), database);
  await migrate(url);
  const sql = postgres(url, { max: 1, fetch_types: false });
  try {
    const tenant = parseTenantId(tenantId);
    if (tenant === undefined) throw new Error(`${tenantId} in kept.json is not a tenant id`);
    await ensureTenant(sql, tenant, 'This machine');
    await createApiKey(sql, {
      tenantId: tenant,
      scopes: ['jobs:read', 'jobs:write'],
      name: 'client of npm start',
      key: keys.client,
    });
    await createApiKey(sql, {
      tenantId: null,
      scopes: ['jobs:read', 'jobs:write', 'ops'],
      name: 'operator of npm start',
      key: keys.operator,
    });
  } finally {
    await sql.end();
  }
}

async function makeDatabase(serverUrl: string, database: string): Promise<void> {
  const sql = postgres(serverUrl, { max: 1, fetch_types: false });
  try {
    const [found] = await sql`select 1 from pg_database where datname = ${database}`;
    if (!found) await sql`create database ${sql(database)}`;
  } finally {
    await sql.end();
  }
}
