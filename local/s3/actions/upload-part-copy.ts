import type { Action } from '../http/action.ts';
import type { ByteRange } from '../object/byte-range.ts';
import {
  copySourceHeaders,
  requireCopyableSize,
  requireCopySource,
  withSourceBytes,
} from '../object/copy-source.ts';
import { keepContent } from '../object/keep-content.ts';
import { isoTime } from '../object/object-headers.ts';
import { parsePartNumber } from '../object/part-number.ts';
import { receiveContent } from '../object/receive-content.ts';
import { invalidArgument } from '../s3-error.ts';
import { requireBucket } from '../store/buckets.ts';
import { inTransaction } from '../store/read-row.ts';
import { putPart, requireUpload } from '../store/uploads.ts';
import { element, textElement, xmlDocument } from '../xml/write-xml.ts';

/** Stores bytes of an existing object as a part. */
export const uploadPartCopy: Action = async (context, request) => {
  const { store, clock } = context;
  const { bucket, key, query, headers } = request;
  requireBucket(store.index, bucket);
  const uploadId = query.get('uploadId') ?? '';
  const partNumber = parsePartNumber(query.get('partNumber') ?? '');
  const upload = requireUpload(store.index, bucket, key, uploadId);
  const source = requireCopySource(context, request);
  const range = parseCopyRange(headers.get('x-amz-copy-source-range'), source.version.bytes);
  requireCopyableSize(range.bytes);
  const algorithm = upload.checksum?.algorithm ?? 'CRC64NVME';
  const received = await withSourceBytes(context, source, range, (bytes) =>
    receiveContent(store.content, bytes, [algorithm]),
  );
  const part = {
    partNumber,
    bytes: received.bytes,
    etag: received.md5.toString('hex'),
    lastModifiedMs: clock.now(),
    checksum: { algorithm, value: received.checksums.get(algorithm) ?? '' },
  };
  await keepContent(store.content, received, (file) => ({
    removedFiles: inTransaction(store.index, () => {
      requireUpload(store.index, bucket, key, uploadId);
      return putPart(store.index, uploadId, { ...part, file });
    }),
  }));
  const shownChecksum = upload.checksum === undefined ? undefined : part.checksum.value;
  return {
    status: 200,
    headers: copySourceHeaders(source),
    body: xmlDocument(
      element(
        'CopyPartResult',
        textElement('LastModified', isoTime(part.lastModifiedMs)),
        textElement('ETag', `"${part.etag}"`),
        textElement(`Checksum${algorithm}`, shownChecksum),
      ),
    ),
  };
};

/** `bytes=first-last`, both given and inside the source. */
function parseCopyRange(header: string | undefined, sourceBytes: number): ByteRange {
  if (header === undefined) return { start: 0, bytes: sourceBytes };
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(header) ?? [];
  const start = Number(first);
  const bytes = Number(last) - start + 1;
  if (first !== '' && bytes > 0 && start + bytes <= sourceBytes) return { start, bytes };
  throw invalidArgument(
    'x-amz-copy-source-range',
    header,
    `Range specified is not valid for source object of size: ${sourceBytes}; it must be bytes=first-last`,
  );
}
