import type { Action, ActionRequest } from '../http/action.ts';
import { requireAlgorithm } from '../object/checksum-claim.ts';
import { commitVersion } from '../object/commit-version.ts';
import {
  copySourceHeaders,
  requireCopyableSize,
  requireCopySource,
  withSourceBytes,
  type CopySource,
} from '../object/copy-source.ts';
import { requireKeyLength } from '../object/find-object.ts';
import { checksumElements, isoTime, versionHeaders } from '../object/object-headers.ts';
import { keepContent } from '../object/keep-content.ts';
import { readDescription } from '../object/read-description.ts';
import { receiveContent } from '../object/receive-content.ts';
import { checkWriteCondition, readWriteCondition } from '../object/write-conditions.ts';
import { invalidArgument, S3Error } from '../s3-error.ts';
import { requireBucket } from '../store/buckets.ts';
import { findVersion, type ObjectDescription } from '../store/versions.ts';
import { element, textElement, xmlDocument } from '../xml/write-xml.ts';

/** Copies an object's bytes into a new one of a single part, whose ETag and checksum are over the whole. */
export const copyObject: Action = async (context, request) => {
  const { store, clock } = context;
  const { bucket: bucketName, key, headers } = request;
  requireKeyLength(key);
  requireBucket(store.index, bucketName);
  const source = requireCopySource(context, request);
  requireCopyableSize(source.version.bytes);
  const description = describeCopy(request, source);
  const condition = readWriteCondition(headers);
  checkWriteCondition(condition, findVersion(store.index, bucketName, key));
  const named = headers.get('x-amz-checksum-algorithm');
  const algorithm =
    named === undefined
      ? (source.version.checksum?.algorithm ?? 'CRC64NVME')
      : requireAlgorithm(named);

  const { bytes } = source.version;
  const received = await withSourceBytes(context, source, { start: 0, bytes }, (content) =>
    receiveContent(store.content, content, [algorithm]),
  );
  const etag = received.md5.toString('hex');
  const lastModifiedMs = clock.now();
  const value = received.checksums.get(algorithm) ?? '';
  const checksum = { algorithm, type: 'FULL_OBJECT' as const, value };
  const committed = await keepContent(store.content, received, (file) => {
    const segment = { file, bytes, partNumber: undefined, partChecksum: undefined };
    const version = {
      ...description,
      bucket: bucketName,
      key,
      etag,
      lastModifiedMs,
      checksum,
      isDeleteMarker: false,
      segments: [segment],
    };
    return commitVersion(store, version, { condition });
  });
  return {
    status: 200,
    headers: {
      ...copySourceHeaders(source),
      ...versionHeaders(committed.bucket, committed.versionId),
    },
    body: xmlDocument(
      element(
        'CopyObjectResult',
        textElement('LastModified', isoTime(lastModifiedMs)),
        textElement('ETag', `"${etag}"`),
        checksumElements(checksum),
      ),
    ),
  };
};

function describeCopy(request: ActionRequest, { version }: CopySource): ObjectDescription {
  const given = readDescription(request.headers, request.query);
  const metadataDirective = readDirective(request, 'x-amz-metadata-directive');
  const taggingDirective = readDirective(request, 'x-amz-tagging-directive');
  const { 'x-amz-storage-class': storageClass } = given.headers;
  const isSameObject =
    version.bucket === request.bucket && version.key === request.key && version.isCurrent;
  if (isSameObject && metadataDirective === 'COPY' && storageClass === undefined) {
    throw new S3Error('InvalidRequest', {
      message:
        "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    });
  }
  const { 'x-amz-storage-class': _sourceClass, ...sourceHeaders } = version.headers;
  const storageClassHeader =
    storageClass === undefined ? {} : { 'x-amz-storage-class': storageClass };
  const tags = taggingDirective === 'COPY' ? version.tags : given.tags;
  if (metadataDirective === 'REPLACE') return { ...given, tags };
  return {
    headers: { ...sourceHeaders, ...storageClassHeader },
    metadata: version.metadata,
    tags,
  };
}

function readDirective({ headers }: ActionRequest, name: string): 'COPY' | 'REPLACE' {
  const directive = headers.get(name) ?? 'COPY';
  if (directive === 'COPY' || directive === 'REPLACE') return directive;
  throw invalidArgument(name, directive, `${name} must be COPY or REPLACE.`);
}
