import type { DatabaseSync } from 'node:sqlite';
import type { Row } from './read-row.ts';
import { keyBehind, prefixOfMarker, rollUp, type Page } from './roll-up.ts';
import { toUpload, type Upload } from './uploads.ts';
import { toVersion, type ObjectVersion } from './versions.ts';

export interface ListingRequest {
  bucket: string;
  prefix: string;
  delimiter: string;
  maxEntries: number;
}

/** Where a listing of objects starts: behind a key, or at a key. */
export type Position = { after: string } | { from: string };

/** Current versions that are no delete markers, by key. */
export function listObjects(
  db: DatabaseSync,
  request: ListingRequest,
  position: Position,
): Page<ObjectVersion> {
  const select = (comparison: '>' | '>=') =>
    db.prepare(`
      select * from versions
      where bucket = ? and is_current = 1 and is_delete_marker = 0 and key ${comparison} ? and key >= ?
      order by key`);
  const rowsFrom = (key: string) =>
    mapRows(select('>=').iterate(request.bucket, key, ''), toVersion);
  const [comparison, key] =
    'after' in position ? (['>', position.after] as const) : (['>=', position.from] as const);
  const firstRows = select(comparison).iterate(request.bucket, key, request.prefix);
  return rollUp(request, mapRows(firstRows, toVersion), rowsFrom);
}

/** The position behind the last entry of a page. */
export function positionBehind(last: NonNullable<Page<ObjectVersion>['last']>): Position {
  if ('item' in last) return { after: last.item.key };
  const from = keyBehind(last.commonPrefix);
  return from === undefined ? { after: last.commonPrefix } : { from };
}

/** All versions and delete markers, by key and then the newest first. */
export function listVersions(
  db: DatabaseSync,
  request: ListingRequest,
  marker: { key: string; seq: number | undefined } | undefined,
): Page<ObjectVersion> {
  const rowsFrom = (key: string) =>
    mapRows(
      db
        .prepare('select * from versions where bucket = ? and key >= ? order by key, seq desc')
        .iterate(request.bucket, key),
      toVersion,
    );
  return rollUp(request, firstRows(), rowsFrom);

  function firstRows(): Iterable<ObjectVersion> {
    if (marker === undefined) return rowsFrom(request.prefix);
    const behindPrefix = marker.seq === undefined ? prefixOfMarker(marker.key, request) : undefined;
    if (behindPrefix !== undefined) return rowsFrom(behindPrefix);
    const rows = db
      .prepare(`
        select * from versions
        where bucket = ? and key >= ? and (key > ? or seq < ?) and key >= ? order by key, seq desc`)
      .iterate(request.bucket, marker.key, marker.key, marker.seq ?? 0, request.prefix);
    return mapRows(rows, toVersion);
  }
}

/** Unfinished uploads, by key and then the oldest first. */
export function listUploads(
  db: DatabaseSync,
  request: ListingRequest,
  marker: { key: string; uploadId: string | undefined } | undefined,
): Page<Upload> {
  const order = 'order by key, started_at_ms, upload_id';
  const rowsFrom = (key: string) =>
    mapRows(
      db
        .prepare(`select * from uploads where bucket = ? and key >= ? ${order}`)
        .iterate(request.bucket, key),
      toUpload,
    );
  return rollUp(request, firstRows(), rowsFrom);

  function firstRows(): Iterable<Upload> {
    if (marker === undefined) return rowsFrom(request.prefix);
    const behindPrefix =
      marker.uploadId === undefined ? prefixOfMarker(marker.key, request) : undefined;
    if (behindPrefix !== undefined) return rowsFrom(behindPrefix);
    const rows = db
      .prepare(`
        select * from uploads
        where bucket = ?1 and key >= ?2 and key >= ?4 and (key > ?2 or (started_at_ms, upload_id) >
          (select started_at_ms, upload_id from uploads where upload_id = ?3)) ${order}`)
      .iterate(request.bucket, marker.key, marker.uploadId ?? '', request.prefix);
    return mapRows(rows, toUpload);
  }
}

function* mapRows<Item>(rows: Iterable<Row>, toItem: (row: Row) => Item): Generator<Item> {
  for (const row of rows) yield toItem(row);
}
