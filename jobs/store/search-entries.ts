import type { TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

export type SearchKind = 'document' | 'order';

export type SearchEntry = {
  readonly tenantId: string;
  readonly kind: SearchKind;
  readonly entityId: string;
  /** Of the aggregate, as the event says. */
  readonly version: number;
  /** What it is found by. */
  readonly words: string;
  readonly facts: unknown;
  readonly eventId: string;
};

/** Stores the entry unless a newer one is there; events come in any order. Gives whether it was stored. */
export async function storeSearchEntry(sql: Sql, entry: SearchEntry): Promise<boolean> {
  const rows = await sql`
    insert into search_entries as stored (tenant_id, kind, entity_id, version, words, facts, event_id)
    values (${entry.tenantId}, ${entry.kind}, ${entry.entityId}, ${entry.version}, ${entry.words},
            ${sql.json(entry.facts as never)}, ${entry.eventId})
    on conflict (tenant_id, kind, entity_id) do update set
      version = excluded.version, words = excluded.words, facts = excluded.facts, event_id = excluded.event_id,
      updated_at = now()
    where stored.version < excluded.version
    returning entity_id`;
  return rows.length === 1;
}

export type FoundEntry = {
  readonly kind: SearchKind;
  readonly id: string;
  readonly version: number;
  readonly facts: unknown;
  readonly updatedAt: Date;
};

/** The tenant's entries that hold all of the words, newest first. */
export async function search(
  sql: Sql,
  tenantId: TenantId,
  query: {
    readonly words: readonly string[];
    readonly kind: SearchKind | null;
    readonly limit: number;
  },
): Promise<FoundEntry[]> {
  const held = query.words.map((word) => sql`and words ilike ${`%${escaped(word)}%`}`);
  return await sql<FoundEntry[]>`
    select kind, entity_id as id, version::float8 as version, facts, updated_at as "updatedAt"
    from search_entries
    where tenant_id = ${tenantId} ${query.kind === null ? sql`` : sql`and kind = ${query.kind}`} ${held}
    order by updated_at desc, entity_id limit ${query.limit}`;
}

/** LIKE's own signs as plain characters. */
const escaped = (word: string): string => word.replaceAll(/[\\%_]/g, String.raw`\$&`);
