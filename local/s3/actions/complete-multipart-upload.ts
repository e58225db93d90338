import { readXmlBody } from '../body/read-xml-body.ts';
import type { Action, ActionContext, ActionRequest, ActionResponse } from '../http/action.ts';
import { commitVersion } from '../object/commit-version.ts';
import { multipartChecksum, multipartEtag } from '../object/multipart-checksum.ts';
import { checksumElements, versionHeaders } from '../object/object-headers.ts';
import { readRequestedParts, selectParts } from '../object/requested-parts.ts';
import { readWriteCondition } from '../object/write-conditions.ts';
import { S3Error } from '../s3-error.ts';
import { requireBucket, type Bucket } from '../store/buckets.ts';
import {
  deleteUpload,
  findCompleted,
  insertCompleted,
  listParts,
  requireUpload,
  type Part,
} from '../store/uploads.ts';
import { findVersion, type ObjectVersion } from '../store/versions.ts';
import { element, textElement, xmlDocument } from '../xml/write-xml.ts';

/**
 * Makes the parts one object, without copying a byte: the object's segments are the parts' files.
 * A Complete repeated within a day, as after a lost answer, gets the first one's answer.
 */
export const completeMultipartUpload: Action = async (context, request) => {
  const { store, clock } = context;
  const { bucket: bucketName, key, headers } = request;
  const uploadId = request.query.get('uploadId') ?? '';
  const bucket = requireBucket(store.index, bucketName);
  const document = await readXmlBody(request, 'CompleteMultipartUpload', {
    checksumIsOfBody: false,
  });
  const requested = readRequestedParts(document);
  const completed = findCompleted(store.index, bucketName, key, uploadId);
  if (completed !== undefined) {
    const version = findVersion(store.index, bucketName, key, completed.versionId);
    if (version?.etag === completed.etag) return answer(request, bucket, version);
  }
  const upload = requireUpload(store.index, bucketName, key, uploadId);
  const stored = listParts(store.index, uploadId);
  const parts = selectParts(upload, stored, requested);
  checkTotalSize(headers.get('x-amz-mp-object-size'), parts);
  const etag = multipartEtag(parts);
  const nowMs = clock.now();
  const version = {
    bucket: bucketName,
    key,
    headers: upload.headers,
    metadata: upload.metadata,
    tags: upload.tags,
    etag,
    lastModifiedMs: nowMs,
    checksum: multipartChecksum(upload, parts, headers),
    isDeleteMarker: false,
    segments: parts.map(({ file, bytes, partNumber, checksum }) => ({
      file,
      bytes,
      partNumber,
      partChecksum: checksum.value,
    })),
  };
  const committed = commitVersion(store, version, {
    condition: readWriteCondition(headers),
    also: (versionId) => {
      deleteUpload(store.index, uploadId);
      insertCompleted(store.index, upload, { versionId, etag }, nowMs);
    },
  });
  await removeUnused(context, stored, parts, committed.removedFiles);
  return answer(request, committed.bucket, { ...version, versionId: committed.versionId });
};

function answer(
  { bucket: bucketName, key, headers }: ActionRequest,
  bucket: Bucket,
  { versionId, etag, checksum }: Pick<ObjectVersion, 'versionId' | 'etag' | 'checksum'>,
): ActionResponse {
  const location = `http://${headers.get('host') ?? ''}/${bucketName}/${encodeURIComponent(key)}`;
  return {
    status: 200,
    headers: versionHeaders(bucket, versionId),
    body: xmlDocument(
      element(
        'CompleteMultipartUploadResult',
        textElement('Location', location),
        textElement('Bucket', bucketName),
        textElement('Key', key),
        textElement('ETag', `"${etag}"`),
        checksumElements(checksum),
      ),
    ),
  };
}

function checkTotalSize(header: string | undefined, parts: readonly Part[]): void {
  if (header === undefined) return;
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (header === String(bytes)) return;
  throw new S3Error('InvalidRequest', {
    message: `The provided 'x-amz-mp-object-size' header value ${header} does not match what was computed: ${bytes}`,
  });
}

async function removeUnused(
  { store }: ActionContext,
  stored: readonly Part[],
  used: readonly Part[],
  replacedFiles: readonly string[],
): Promise<void> {
  const usedFiles = new Set(used.map(({ file }) => file));
  const unused = stored.map(({ file }) => file).filter((file) => !usedFiles.has(file));
  await store.content.remove([...unused, ...replacedFiles]);
}
