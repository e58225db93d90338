import type { Action } from '../http/action.ts';
import {
  commonPrefixElements,
  listingElements,
  readListing,
  type Listing,
} from '../object/listing-request.ts';
import { isoTime } from '../object/object-headers.ts';
import { invalidArgument } from '../s3-error.ts';
import { requireBucket } from '../store/buckets.ts';
import { listObjects, positionBehind, type Position } from '../store/listings.ts';
import type { ObjectVersion } from '../store/versions.ts';
import { element, textElement, xmlDocument, type XmlElement } from '../xml/write-xml.ts';

/** A continuation token says where the next page starts; it needs no state on this side. */
export const listObjectsV2: Action = ({ store }, request) => {
  requireBucket(store.index, request.bucket);
  const { query } = request;
  const listing = readListing(request, 'max-keys');
  const token = query.get('continuation-token');
  const startAfter = query.get('start-after');
  const position = token === undefined ? { after: startAfter ?? '' } : readToken(token);
  const page = listObjects(store.index, listing, position);
  const root = element(
    'ListBucketResult',
    textElement('Name', request.bucket),
    listingElements(listing),
    textElement('StartAfter', startAfter),
    textElement('ContinuationToken', token),
    textElement('NextContinuationToken', page.last && writeToken(positionBehind(page.last))),
    textElement('KeyCount', page.items.length + page.commonPrefixes.length),
    textElement('MaxKeys', listing.maxEntries),
    textElement('IsTruncated', page.last !== undefined),
    page.items.map((item) => contentsElement(listing, item)),
    commonPrefixElements(listing, page.commonPrefixes),
  );
  return { status: 200, body: xmlDocument(root) };
};

function contentsElement({ show }: Listing, version: ObjectVersion): XmlElement {
  return element(
    'Contents',
    textElement('Key', show(version.key)),
    textElement('LastModified', isoTime(version.lastModifiedMs)),
    textElement('ETag', `"${version.etag}"`),
    textElement('ChecksumAlgorithm', version.checksum?.algorithm),
    textElement('ChecksumType', version.checksum?.type),
    textElement('Size', version.bytes),
    textElement('StorageClass', version.headers['x-amz-storage-class'] ?? 'STANDARD'),
  );
}

function writeToken(position: Position): string {
  const [kind, key] = 'after' in position ? ['a', position.after] : ['f', position.from];
  return Buffer.from(`${kind}${key}`).toString('base64url');
}

function readToken(token: string): Position {
  const decoded = Buffer.from(token, 'base64url').toString('utf8');
  const key = decoded.slice(1);
  if (decoded.startsWith('a')) return { after: key };
  if (decoded.startsWith('f')) return { from: key };
  throw invalidArgument(
    'continuation-token',
    token,
    'The continuation token provided is incorrect',
  );
}
