import { checksumAlgorithms, type ChecksumAlgorithm } from '../checksums/checksum-algorithms.ts';
import { S3Error } from '../s3-error.ts';
import type { Part, Upload } from '../store/uploads.ts';
import { childText, type XmlNode } from '../xml/read-xml.ts';
import { maxPartNumber } from './part-number.ts';
import { etagMatches } from './write-conditions.ts';

/** A part as CompleteMultipartUpload names it. */
export interface RequestedPart {
  partNumber: number;
  etag: string;
  checksums: ReadonlyMap<ChecksumAlgorithm, string>;
}

const minPartBytes = 5 * 1024 ** 2;

/** The `<Part>` list of a `<CompleteMultipartUpload>` document, in the order given. */
export function readRequestedParts(root: XmlNode): RequestedPart[] {
  const parts = root.children.filter(({ name }) => name === 'Part').map(readPart);
  if (parts.length === 0 || parts.length > maxPartNumber) throw new S3Error('MalformedXML');
  return parts;
}

/**
 * The stored parts that a request means, after S3's checks: ascending order, every part there with that
 * ETag and checksum, and none but the last under 5 MiB.
 */
export function selectParts(
  upload: Upload,
  stored: readonly Part[],
  requested: readonly RequestedPart[],
): Part[] {
  const byNumber = new Map(stored.map((part) => [part.partNumber, part]));
  let previousNumber = 0;
  const selected = requested.map((request) => {
    if (request.partNumber <= previousNumber) throw new S3Error('InvalidPartOrder');
    previousNumber = request.partNumber;
    const part = byNumber.get(request.partNumber);
    if (part === undefined || request.etag === '*' || !etagMatches(request.etag, part.etag)) {
      throw invalidPart(upload, request);
    }
    checkPartChecksum(upload, part, request);
    return part;
  });
  checkSizes(selected);
  return selected;
}

function readPart(node: XmlNode): RequestedPart {
  const number = childText(node, 'PartNumber') ?? '';
  const etag = childText(node, 'ETag');
  if (!/^\d{1,6}$/.test(number) || etag === undefined) throw new S3Error('MalformedXML');
  const checksums = new Map<ChecksumAlgorithm, string>();
  for (const algorithm of checksumAlgorithms) {
    const value = childText(node, `Checksum${algorithm}`);
    if (value !== undefined) checksums.set(algorithm, value);
  }
  return { partNumber: Number(number), etag, checksums };
}

function checkPartChecksum(upload: Upload, part: Part, request: RequestedPart): void {
  if (upload.checksum === undefined) {
    if (request.checksums.size > 0) throw invalidPart(upload, request);
    return;
  }
  const { algorithm, type } = upload.checksum;
  const value = request.checksums.get(algorithm);
  if (value !== undefined) {
    if (value !== part.checksum.value) throw invalidPart(upload, request);
    return;
  }
  const [other] = request.checksums.keys();
  if (other !== undefined) {
    throw new S3Error('BadDigest', {
      message: `The ${other.toLowerCase()} you specified for part ${part.partNumber} did not match what we received.`,
    });
  }
  if (type === 'COMPOSITE') {
    throw new S3Error('InvalidRequest', {
      message: `The upload was created using a ${algorithm.toLowerCase()} checksum. The complete request must include the checksum for each part. It was missing for part ${part.partNumber} in the request.`,
    });
  }
}

function checkSizes(parts: readonly Part[]): void {
  const small = parts.slice(0, -1).find(({ bytes }) => bytes < minPartBytes);
  if (small === undefined) return;
  throw new S3Error('EntityTooSmall', {
    details: {
      ETag: small.etag,
      PartNumber: small.partNumber,
      ProposedSize: small.bytes,
      MinSizeAllowed: minPartBytes,
    },
  });
}

function invalidPart(upload: Upload, { partNumber, etag }: RequestedPart): S3Error {
  return new S3Error('InvalidPart', {
    details: { UploadId: upload.uploadId, PartNumber: partNumber, ETag: etag },
  });
}
