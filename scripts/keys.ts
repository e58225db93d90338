// `npm run keys -- create|list|revoke|limits`: API keys and what their tenants may, in the database of DATABASE_URL.
import { parseArgs } from 'node:util';
import { parseTenantId, type TenantId } from '../jobs/ids.ts';
import {
  createApiKey,
  ensureTenant,
  listApiKeys,
  revokeApiKey,
  scopes as allScopes,
} from '../jobs/store/api-keys.ts';
import { connect, type Sql } from '../jobs/store/connect.ts';
import { setTenantLimits } from '../jobs/store/tenant-limits.ts';

const usage = `npm run keys -- create --tenant <id> [--scopes jobs:read,jobs:write] [--name <text>] [--days <n>]
npm run keys -- create --operator [--name <text>] [--days <n>]
npm run keys -- list
npm run keys -- revoke <prefix>
npm run keys -- limits --tenant <id> [--requests-per-minute <n>|none] [--max-open-jobs <n>|none]

DATABASE_URL says where: postgres://user:password@host:port/database`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tenant: { type: 'string' },
    operator: { type: 'boolean', default: false },
    scopes: { type: 'string', default: 'jobs:read,jobs:write' },
    name: { type: 'string', default: 'made by npm run keys' },
    days: { type: 'string' },
    'requests-per-minute': { type: 'string' },
    'max-open-jobs': { type: 'string' },
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
  } else if (command === 'limits') {
    console.log(JSON.stringify(await limits(sql)));
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

/** Sets what is given; a process that has the key in its memory goes by it within 10 seconds. */
async function limits(sql: Sql) {
  const { 'requests-per-minute': requests, 'max-open-jobs': jobs } = values;
  const tenantId = wantedTenant();
  const set = await setTenantLimits(sql, tenantId, {
    ...(requests === undefined ? {} : { requestsPerMinute: limitOf(requests, 1) }),
    ...(jobs === undefined ? {} : { maxOpenJobs: limitOf(jobs, 0) }),
  });
  return set ?? fail(`there is no tenant ${tenantId}`);
}

function limitOf(text: string, min: number): number | null {
  if (text === 'none') return null;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < min || limit > 2 ** 31 - 1) {
    fail(`${text} is no limit: a whole number from ${min}, or none`);
  }
  return limit;
}

function wantedTenant(): TenantId {
  return (
    parseTenantId(values.tenant ?? '') ??
    fail('--tenant <id> is wanted: [a-z0-9][a-z0-9-]{0,62}; create also takes --operator')
  );
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
