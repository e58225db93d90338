import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { v7 } from 'uuid';
import type { TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** `ops` belongs to operators alone: they have no tenant and see all. */
export const scopes = ['jobs:read', 'jobs:write', 'ops'] as const;
export type KeyScope = (typeof scopes)[number];

/** The key as it is shown, once: `pawl_<prefix>_<secret>`, 12 characters to look it up by and 256 random bits. */
const shape = /^pawl_(?<prefix>[0-9a-f]{12})_[A-Za-z0-9_-]{43}$/;

export const prefixOfKey = (key: string): string | undefined => shape.exec(key)?.groups?.['prefix'];

export const newKey = (): string =>
  `pawl_${randomBytes(6).toString('hex')}_${randomBytes(32).toString('base64url')}`;

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

export type ApiKey = {
  readonly keyId: string;
  readonly tenantId: TenantId | null;
  readonly scopes: readonly KeyScope[];
  readonly expiresAt: Date | null;
  /** What its tenant may have and do; null: no limit. */
  readonly maxOpenJobs: number | null;
  readonly requestsPerMinute: number | null;
};

export type NewApiKey = {
  /** null makes an operator's key; its scopes must then hold `ops`. */
  readonly tenantId: TenantId | null;
  readonly scopes: readonly KeyScope[];
  readonly name: string;
  readonly expiresAt?: Date;
  /** A key that is known already, in the shape of `newKey`; storing the same one again changes nothing. */
  readonly key?: string;
};

/** Stores the hash of a key and gives the key itself, which is shown nowhere else. */
export async function createApiKey(
  sql: Sql,
  { tenantId, scopes: granted, name, expiresAt, key = newKey() }: NewApiKey,
): Promise<{ readonly keyId: string; readonly key: string }> {
  const prefix = prefixOfKey(key);
  if (prefix === undefined) {
    throw new Error('a key is written pawl_<12 hex digits>_<43 characters of base64url>');
  }
  const [row] = await sql<{ keyId: string }[]>`
    insert into api_keys as known (key_id, tenant_id, prefix, key_hash, scopes, name, expires_at)
    values (${v7()}, ${tenantId}, ${prefix}, ${hashOf(key)}, ${sql.json([...granted])}, ${name}, ${expiresAt ?? null})
    on conflict (prefix) do update set name = excluded.name where known.key_hash = excluded.key_hash
    returning key_id as "keyId"`;
  if (row === undefined) throw new Error(`another key has the prefix ${prefix}`);
  return { keyId: row.keyId, key };
}

export async function ensureTenant(sql: Sql, tenantId: TenantId, name: string): Promise<void> {
  await sql`insert into tenants (tenant_id, name) values (${tenantId}, ${name}) on conflict do nothing`;
}

export type KnownKey = { readonly apiKey: ApiKey; readonly ended: 'revoked' | 'expired' | null };

/** The key's row where the key is right, and whether it has ended. Only hashes are compared, in constant time. */
export async function verifyApiKey(sql: Sql, key: string): Promise<KnownKey | undefined> {
  const prefix = prefixOfKey(key);
  if (prefix === undefined) return undefined;
  const [row] = await sql<
    (ApiKey & { readonly keyHash: Buffer; readonly ended: KnownKey['ended'] })[]
  >`
    select key_id as "keyId", tenant_id as "tenantId", scopes, expires_at as "expiresAt", key_hash as "keyHash",
           max_open_jobs as "maxOpenJobs", requests_per_minute as "requestsPerMinute",
           case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' end as ended
    from api_keys left join tenants using (tenant_id)
    where prefix = ${prefix}`;
  if (row === undefined || !timingSafeEqual(row.keyHash, hashOf(key))) return undefined;
  const { keyHash: _, ended, ...apiKey } = row;
  return { apiKey, ended };
}

/** Keeps `last_used_at` right to the minute without writing at each request. */
export async function touchApiKey(sql: Sql, keyId: string): Promise<void> {
  await sql`
    update api_keys set last_used_at = now()
    where key_id = ${keyId} and (last_used_at is null or last_used_at < now() - interval '1 minute')`;
}

export type ListedKey = {
  readonly keyId: string;
  readonly tenantId: string | null;
  readonly prefix: string;
  readonly scopes: readonly KeyScope[];
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
};

export async function listApiKeys(sql: Sql): Promise<ListedKey[]> {
  return await sql<ListedKey[]>`
    select key_id as "keyId", tenant_id as "tenantId", prefix, scopes, name, created_at as "createdAt",
           expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"
    from api_keys order by created_at`;
}

/** A page of them, newest first; `before` is the id of the last one of the page before. */
export async function findApiKeys(
  sql: Sql,
  page: {
    readonly tenantId: string | undefined;
    readonly before: string | undefined;
    readonly limit: number;
  },
): Promise<ListedKey[]> {
  return await sql<ListedKey[]>`
    select key_id as "keyId", tenant_id as "tenantId", prefix, scopes, name, created_at as "createdAt",
           expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"
    from api_keys
    where (${page.tenantId ?? null}::text is null or tenant_id = ${page.tenantId ?? null})
      and (${page.before ?? null}::uuid is null or key_id < ${page.before ?? null}::uuid)
    order by key_id desc limit ${page.limit}`;
}

/** Gives whether a key of this prefix was there and not revoked before. */
export async function revokeApiKey(sql: Sql, prefix: string): Promise<boolean> {
  const rows = await sql`
    update api_keys set revoked_at = now() where prefix = ${prefix} and revoked_at is null returning key_id`;
  return rows.length === 1;
}
