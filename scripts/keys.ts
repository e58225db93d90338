// `npm run keys -- create|list|revoke`: API keys, in the database of DATABASE_URL.
import { parseArgs } from 'node:util';
import { parseTenantId } from '../jobs/ids.ts';
import {
  createApiKey,
  ensureTenant,
  listApiKeys,
  revokeApiKey,
  scopes as allScopes,
} from '../jobs/store/api-keys.ts';
import { connect, type Sql } from '../jobs/store/connect.ts';

const usage = `npm run keys -- create --tenant <id> [--scopes jobs:read,jobs:write] [--name <text>] [--days <n>]
npm run keys -- create --operator [--name <text>] [--days <n>]
npm run keys -- list
npm run keys -- revoke <prefix>

DATABASE_URL says where: postgres://user:password@host:port/database`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tenant: { type: 'string' },
    operator: { type: 'boolean', default: false },
    scopes: { type: 'string', default: 'jobs:read,jobs:write' },
    name: { type: 'string', default: 'made by npm run keys' },
    days: { type: 'string' },
  },
});

const [command, prefix] = positionals;
const url = process.env['DATABASE_URL'];
if (url === undefined || url === '') fail('DATABASE_URL is not set');
const sql = connect(
  { url, poolSize: 1, statementTimeoutMs: 10_000, lockTimeoutMs: 5_000 },
  'pawl keys',
);
try {
  await run(sql);
} finally {
  await sql.end({ timeout: 2 });
}

async function run(sql: Sql): Promise<void> {
  if (command === 'create') {
    console.log(await create(sql));
  } else if (command === 'list') {
    console.table(await listApiKeys(sql));
  } else if (command === 'revoke' && prefix !== undefined) {
    if (!(await revokeApiKey(sql, prefix))) fail(`no key with the prefix ${prefix} is in use`);
    console.log(`revoked ${prefix}; it stops working within 10 seconds`);
  } else {
    fail('what is to be done?');
  }
}

/** Gives the key: it is shown this once. */
async function create(sql: Sql): Promise<string> {
  const expiry =
    values.days === undefined
      ? {}
      : { expiresAt: new Date(Date.now() + daysOf(values.days) * 86_400_000) };
  const { name } = values;
  if (values.operator) {
    return (await createApiKey(sql, { tenantId: null, scopes: ['ops'], name, ...expiry })).key;
  }
  const tenantId = parseTenantId(values.tenant ?? '');
  if (tenantId === undefined)
    fail('--tenant <id> is wanted: [a-z0-9][a-z0-9-]{0,62}; or --operator');
  const names = values.scopes.split(',');
  const scopes = allScopes.filter((scope) => scope !== 'ops' && names.includes(scope));
  if (scopes.length !== names.length) fail('--scopes takes jobs:read and jobs:write, with a comma');
  await ensureTenant(sql, tenantId, tenantId);
  return (await createApiKey(sql, { tenantId, scopes, name, ...expiry })).key;
}

function daysOf(text: string): number {
  const days = Number(text);
  if (!Number.isFinite(days) || days <= 0) fail(`--days ${text} is no number of days`);
  return days;
}

function fail(why: string): never {
  console.error(`${why}\n\n${usage}`);
  process.exit(1);
}
