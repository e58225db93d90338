import type { Sql } from './connect.ts';
import { announcing } from './events.ts';
import { type Fence, heldBy } from './open-run.ts';

export type NewDocument = {
  readonly documentId: string;
  readonly version: number;
  readonly sha256: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** What stands in the table for this document after a write; `indexedAt` is when that version came in. */
export type StoredDocument = {
  readonly version: number;
  readonly sha256: string;
  readonly indexedAt: string;
};

/**
 * Stores a version of a document, unless the same or a newer one is there. The guard is in the statement, so that
 * an older version that arrives late, or at the same moment, never overwrites.
 *
 * Gives what stands there now (perhaps not what was to be stored), or undefined where the fence does not hold.
 */
export async function storeDocument(
  sql: Sql,
  fence: Fence,
  document: NewDocument,
): Promise<StoredDocument | undefined> {
  const { documentId, version, sha256, contentType, bytes, metadata } = document;
  const [written] = await sql<StoredDocument[]>`
    with fence as (${heldBy(sql, fence)}),
    written as (
    insert into documents as stored
      (tenant_id, document_id, version, sha256, content_type, bytes, metadata, job_id)
    select tenant_id, ${documentId}, ${version}, ${sha256}, ${contentType}, ${bytes},
           ${sql.json(metadata as never)}, job_id
    from fence
    on conflict (tenant_id, document_id) do update set
      version = excluded.version, sha256 = excluded.sha256, content_type = excluded.content_type,
      bytes = excluded.bytes, metadata = excluded.metadata, job_id = excluded.job_id, updated_at = now()
    where stored.version < excluded.version
    returning *
    ),
    announced as (${announcing(
      sql,
      'document.stored',
      sql`
      select tenant_id, job_id, document_id as aggregate_id, version as aggregate_version, jsonb_build_object(
        'documentId', document_id, 'version', version, 'sha256', sha256, 'contentType', content_type, 'bytes', bytes,
        'title', left(metadata ->> 'title', 500), 'language', metadata ->> 'language') as data
      from written`,
    )})
    select ${columns(sql)} from written`;
  return written ?? (await readUnderFence(sql, fence, documentId));
}

/** A second statement, because the first one's snapshot may be older than the row that stopped it. */
async function readUnderFence(
  sql: Sql,
  fence: Fence,
  documentId: string,
): Promise<StoredDocument | undefined> {
  const [row] = await sql<StoredDocument[]>`
    with fence as (${heldBy(sql, fence)})
    select ${columns(sql)}
    from documents join fence using (tenant_id)
    where document_id = ${documentId}`;
  return row;
}

const columns = (sql: Sql) => sql`
  version::double precision as version, sha256,
  to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "indexedAt"`;
