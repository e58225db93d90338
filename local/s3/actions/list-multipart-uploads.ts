import type { Action } from '../http/action.ts';
import { commonPrefixElements, listingElements, readListing } from '../object/listing-request.ts';
import { isoTime } from '../object/object-headers.ts';
import { requireBucket } from '../store/buckets.ts';
import { listUploads } from '../store/listings.ts';
import { element, textElement, xmlDocument } from '../xml/write-xml.ts';

export const listMultipartUploads: Action = ({ store }, request) => {
  requireBucket(store.index, request.bucket);
  const { query } = request;
  const listing = readListing(request, 'max-uploads');
  const { show } = listing;
  const keyMarker = query.get('key-marker') ?? '';
  const uploadIdMarker = query.get('upload-id-marker') || undefined;
  const marker = keyMarker === '' ? undefined : { key: keyMarker, uploadId: uploadIdMarker };
  const page = listUploads(store.index, listing, marker);
  const { last } = page;
  const root = element(
    'ListMultipartUploadsResult',
    textElement('Bucket', request.bucket),
    textElement('KeyMarker', show(keyMarker)),
    textElement('UploadIdMarker', uploadIdMarker ?? ''),
    last && 'item' in last
      ? [
          { name: 'NextKeyMarker', content: show(last.item.key) },
          { name: 'NextUploadIdMarker', content: last.item.uploadId },
        ]
      : textElement('NextKeyMarker', last && show(last.commonPrefix)),
    listingElements(listing),
    textElement('MaxUploads', listing.maxEntries),
    textElement('IsTruncated', last !== undefined),
    page.items.map((upload) =>
      element(
        'Upload',
        textElement('Key', show(upload.key)),
        textElement('UploadId', upload.uploadId),
        textElement('StorageClass', upload.headers['x-amz-storage-class'] ?? 'STANDARD'),
        textElement('Initiated', isoTime(upload.startedAtMs)),
        textElement('ChecksumAlgorithm', upload.checksum?.algorithm),
        textElement('ChecksumType', upload.checksum?.type),
      ),
    ),
    commonPrefixElements(listing, page.commonPrefixes),
  );
  return { status: 200, body: xmlDocument(root) };
};
