import type { Action } from '../http/action.ts';
import { isoTime } from '../object/object-headers.ts';
import { parsePageSize } from '../object/page-size.ts';
import { requireBucket } from '../store/buckets.ts';
import { listParts as selectParts, requireUpload } from '../store/uploads.ts';
import { element, textElement, xmlDocument } from '../xml/write-xml.ts';

export const listParts: Action = ({ store }, { bucket, key, query }) => {
  requireBucket(store.index, bucket);
  const uploadId = query.get('uploadId') ?? '';
  const upload = requireUpload(store.index, bucket, key, uploadId);
  const maxParts = parsePageSize('max-parts', query.get('max-parts'));
  const marker = parsePageMarker(query.get('part-number-marker'));
  const rest = selectParts(store.index, uploadId).filter(({ partNumber }) => partNumber > marker);
  const page = rest.slice(0, maxParts);
  const root = element(
    'ListPartsResult',
    textElement('Bucket', bucket),
    textElement('Key', key),
    textElement('UploadId', uploadId),
    textElement('StorageClass', upload.headers['x-amz-storage-class'] ?? 'STANDARD'),
    textElement('ChecksumAlgorithm', upload.checksum?.algorithm),
    textElement('ChecksumType', upload.checksum?.type),
    textElement('PartNumberMarker', marker),
    textElement('NextPartNumberMarker', page.at(-1)?.partNumber ?? 0),
    textElement('MaxParts', maxParts),
    textElement('IsTruncated', rest.length > page.length),
    page.map((part) =>
      element(
        'Part',
        textElement('PartNumber', part.partNumber),
        textElement('LastModified', isoTime(part.lastModifiedMs)),
        textElement('ETag', `"${part.etag}"`),
        textElement('Size', part.bytes),
        upload.checksum && textElement(`Checksum${part.checksum.algorithm}`, part.checksum.value),
      ),
    ),
  );
  return { status: 200, body: xmlDocument(root) };
};

function parsePageMarker(text: string | undefined): number {
  return /^\d{1,10}$/.test(text ?? '') ? Number(text) : 0;
}
