import type { Action } from '../http/action.ts';
import { readChecksumClaim } from '../object/checksum-claim.ts';
import { commitVersion } from '../object/commit-version.ts';
import { requireKeyLength } from '../object/find-object.ts';
import { checksumHeaders, versionHeaders } from '../object/object-headers.ts';
import { readDescription } from '../object/read-description.ts';
import { receivePayload } from '../object/receive-payload.ts';
import { checkWriteCondition, readWriteCondition } from '../object/write-conditions.ts';
import { requireBucket } from '../store/buckets.ts';
import { findVersion } from '../store/versions.ts';

/**
 * Stores an object. The condition is checked before the body is read, to refuse early, and again when
 * the object is committed. Without a checksum from the client a CRC64NVME is stored, as S3 does.
 */
export const putObject: Action = async ({ store, clock }, request) => {
  const { bucket: bucketName, key, headers } = request;
  requireKeyLength(key);
  requireBucket(store.index, bucketName);
  const description = readDescription(headers, request.query);
  const claim = readChecksumClaim(headers);
  const condition = readWriteCondition(headers);
  checkWriteCondition(condition, findVersion(store.index, bucketName, key));

  const stored = claim?.algorithm ?? 'CRC64NVME';
  const committed = await store.deletions.during(bucketName, key, (watched) =>
    receivePayload(store.content, request, { claim, stored }, (file, payload) => {
      const etag = payload.md5.toString('hex');
      const checksum = { ...payload.checksum, type: 'FULL_OBJECT' as const };
      const segment = {
        file,
        bytes: payload.bytes,
        partNumber: undefined,
        partChecksum: undefined,
      };
      const version = {
        ...description,
        bucket: bucketName,
        key,
        etag,
        lastModifiedMs: clock.now(),
        checksum,
        isDeleteMarker: false,
        segments: [segment],
      };
      return { ...commitVersion(store, version, { condition, watched }), etag, checksum };
    }),
  );
  return {
    status: 200,
    headers: {
      etag: `"${committed.etag}"`,
      ...checksumHeaders(committed.checksum),
      ...versionHeaders(committed.bucket, committed.versionId),
    },
  };
};
