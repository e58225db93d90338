import type { Action } from '../http/action.ts';
import { requireVersionId } from '../object/find-object.ts';
import {
  commonPrefixElements,
  listingElements,
  readListing,
  type Listing,
} from '../object/listing-request.ts';
import { isoTime } from '../object/object-headers.ts';
import { invalidArgument } from '../s3-error.ts';
import { requireBucket } from '../store/buckets.ts';
import { listVersions } from '../store/listings.ts';
import { findVersion, type ObjectVersion } from '../store/versions.ts';
import { element, textElement, xmlDocument, type XmlElement } from '../xml/write-xml.ts';

export const listObjectVersions: Action = ({ store }, request) => {
  requireBucket(store.index, request.bucket);
  const { query, bucket } = request;
  const listing = readListing(request, 'max-keys');
  const keyMarker = query.get('key-marker') ?? '';
  const versionIdMarker = query.get('version-id-marker') ?? '';
  if (versionIdMarker !== '' && keyMarker === '') {
    throw invalidArgument(
      'version-id-marker',
      versionIdMarker,
      'A version-id marker cannot be specified without a key marker.',
    );
  }
  const seq =
    versionIdMarker === ''
      ? undefined
      : findVersion(store.index, bucket, keyMarker, requireVersionId(versionIdMarker))?.seq;
  const marker = keyMarker === '' ? undefined : { key: keyMarker, seq };
  const page = listVersions(store.index, listing, marker);
  const { last } = page;
  const root = element(
    'ListVersionsResult',
    textElement('Name', bucket),
    listingElements(listing),
    textElement('KeyMarker', listing.show(keyMarker)),
    textElement('VersionIdMarker', versionIdMarker),
    last && 'item' in last
      ? [
          { name: 'NextKeyMarker', content: listing.show(last.item.key) },
          { name: 'NextVersionIdMarker', content: last.item.versionId },
        ]
      : textElement('NextKeyMarker', last && listing.show(last.commonPrefix)),
    textElement('MaxKeys', listing.maxEntries),
    textElement('IsTruncated', last !== undefined),
    page.items.map((item) => versionElement(listing, item)),
    commonPrefixElements(listing, page.commonPrefixes),
  );
  return { status: 200, body: xmlDocument(root) };
};

function versionElement({ show }: Listing, version: ObjectVersion): XmlElement {
  const head = [
    textElement('Key', show(version.key)),
    textElement('VersionId', version.versionId),
    textElement('IsLatest', version.isCurrent),
    textElement('LastModified', isoTime(version.lastModifiedMs)),
  ];
  if (version.isDeleteMarker) return element('DeleteMarker', ...head);
  return element(
    'Version',
    ...head,
    textElement('ETag', `"${version.etag}"`),
    textElement('ChecksumAlgorithm', version.checksum?.algorithm),
    textElement('ChecksumType', version.checksum?.type),
    textElement('Size', version.bytes),
    textElement('StorageClass', version.headers['x-amz-storage-class'] ?? 'STANDARD'),
  );
}
