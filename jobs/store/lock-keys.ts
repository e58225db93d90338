import type { TenantId } from '../ids.ts';
import type { Transaction } from './transaction.ts';

/** Bounds what one transaction adds to PostgreSQL's lock table, which all of them share. */
const buckets = 64;

/**
 * Locks keys of a tenant for as long as the transaction lasts, always in the same order: transactions that write rows
 * of several of them, in whatever order, then wait for one another in a line and not in a circle. Two keys may share a
 * lock; large batches of a tenant therefore mostly go one after the other.
 */
export async function lockKeys(
  tx: Transaction,
  tenantId: TenantId,
  keys: readonly string[],
): Promise<void> {
  if (keys.length < 2) return;
  const names = keys.map((key) => JSON.stringify([tenantId, key]));
  await tx`
    select pg_advisory_xact_lock(hashtextextended(${tenantId}, 0) # bucket)
    from (
      select distinct hashtextextended(name, 1) & ${buckets - 1} as bucket
      from jsonb_array_elements_text(${tx.json(names)}) as name
      order by bucket
    ) sorted`;
}
