import { randomBytes } from 'node:crypto';
import type { TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

export type WebhookSecret = {
  /** `whsec_` + base64 of 32 bytes, as Standard Webhooks writes symmetric secrets. */
  readonly secret: string;
  readonly createdAt: Date;
  /** Until when a rotated secret still signs beside the new one; null for the current one. */
  readonly expiresAt: Date | null;
};

/** How long a secret that was rotated out still signs, so that receivers can change over in their own time. */
const overlapHours = 24;

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** The secrets that sign now, the current one first; makes the first where the tenant has none. */
export async function webhookSecrets(sql: Sql, tenantId: TenantId): Promise<WebhookSecret[]> {
  const found = await signingSecrets(sql, tenantId);
  if (found.length > 0) return found;
  await sql`
    insert into webhook_secrets (tenant_id, secret) values (${tenantId}, ${newSecret()})
    on conflict (tenant_id) where expires_at is null do nothing`;
  return await signingSecrets(sql, tenantId);
}

async function signingSecrets(sql: Sql, tenantId: TenantId): Promise<WebhookSecret[]> {
  return await sql<WebhookSecret[]>`
    select secret, created_at as "createdAt", expires_at as "expiresAt" from webhook_secrets
    where tenant_id = ${tenantId} and (expires_at is null or expires_at > now())
    order by expires_at desc nulls first`;
}

/** Makes a new current secret; the one before signs beside it for a day. */
export async function rotateWebhookSecret(sql: Sql, tenantId: TenantId): Promise<WebhookSecret[]> {
  // The insert reads from the update, so that it comes after it: one secret at a time is the current one.
  await sql`
    with rotated as (
      update webhook_secrets set expires_at = now() + make_interval(hours => ${overlapHours})
      where tenant_id = ${tenantId} and expires_at is null
      returning secret_id
    )
    insert into webhook_secrets (tenant_id, secret)
    select ${tenantId}, ${newSecret()} from (select count(*) from rotated) as after_update`;
  return await signingSecrets(sql, tenantId);
}
