import postgres from 'postgres';
import { parseTenantId } from '../../jobs/ids.ts';
import { createApiKey, ensureTenant } from '../../jobs/store/api-keys.ts';
import { migrate } from '../../jobs/store/migrate.ts';
import { stockUp } from '../../jobs/store/stock.ts';
import type { Addresses } from './addresses.ts';
import type { KeptSettings } from './kept-settings.ts';

/** What the shop of order-settlement begins with. */
const SHOP = [
  { sku: 'serum-30', available: 1_000, unitPrice: 149_000 },
  { sku: 'toner-100', available: 1_000, unitPrice: 99_000 },
  { sku: 'sunscreen-50', available: 1_000, unitPrice: 129_000 },
];

/** Makes the database, migrates it, and stores the tenant, the two keys and what the shop sells. */
export async function provisionDatabase(
  addresses: Addresses,
  { tenantId, keys }: KeptSettings,
): Promise<void> {
  await makeDatabase(addresses);
  await migrate(addresses.database);
  const sql = postgres(addresses.database, { max: 1, fetch_types: false });
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
    for (const line of SHOP) await stockUp(sql, line);
  } finally {
    await sql.end();
  }
}

async function makeDatabase({ databaseServer, database }: Addresses): Promise<void> {
  const name = new URL(database).pathname.slice(1);
  const sql = postgres(databaseServer, { max: 1, fetch_types: false });
  try {
    const [found] = await sql`select 1 from pg_database where datname = ${name}`;
    if (!found) await sql`create database ${sql(name)}`;
  } finally {
    await sql.end();
  }
}
