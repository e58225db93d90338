import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListPartsCommand,
  NoSuchUpload,
  type Part,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { classifyingS3, s3Verdict } from '../jobs/classify.ts';
import type { PayloadReference } from '../jobs/payload-reference.ts';
import { Problem } from './problems.ts';

/** From here on Amazon asks for several parts (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html). */
export const multipartAboveBytes = 100 * 1000 ** 2;
/** S3's limits of a part; only the last may be smaller (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
export const minPartBytes = 5 * 1024 ** 2;
export const maxPartBytes = 5 * 1024 ** 3;
/** S3 takes 10,000; so many are listed in one answer. */
export const maxParts = 1000;
const usualPartBytes = 16 * 1024 ** 2;
/**
 * How long the parts may be sent: 5 GiB at 2 Mbit/s. Less where the credentials that signed end sooner; a bucket's rule
 * aborts an unfinished upload a day after its start.
 */
export const multipartSeconds = 6 * 60 * 60;

/**
 * For the client that signs parts: else the SDK signs the CRC-32 of no bytes at all for a part whose checksum is not
 * known (https://github.com/aws/aws-sdk-js-v3/issues/6810).
 */
export const presigningSettings = { requestChecksumCalculation: 'WHEN_REQUIRED' } as const;

export type PartPlan = {
  readonly partSize: number;
  /** In hex, one a part; undefined: the client says nothing of single parts, and S3 cannot check them. */
  readonly partSha256: readonly string[] | undefined;
};

/** Parts of the same size, but for the last. */
export function usualParts(size: number): PartPlan {
  const count = Math.max(1, Math.ceil(size / usualPartBytes));
  return { partSize: Math.ceil(size / count), partSha256: undefined };
}

/** Starts an upload in parts and signs an address for each; S3 holds each part to its size, and to its hash if known. */
export async function startMultipart(
  s3: S3Client,
  { bucket, key, size }: PayloadReference & { readonly size: number },
  contentType: string,
  { partSize, partSha256 }: PartPlan,
) {
  const target = { Bucket: bucket, Key: key };
  const { UploadId } = await classifyingS3(() =>
    s3.send(
      new CreateMultipartUploadCommand({
        ...target,
        ContentType: contentType,
        ...(partSha256 === undefined ? {} : { ChecksumAlgorithm: 'SHA256' as const }),
      }),
    ),
  );
  if (UploadId === undefined) throw new Error('S3 started an upload and gave it no id');
  const parts = Array.from({ length: Math.ceil(size / partSize) }, async (_, index) => {
    const bytes = Math.min(partSize, size - index * partSize);
    const part = { ...target, UploadId, PartNumber: index + 1, ContentLength: bytes };
    return { ...(await presignPart(s3, part, partSha256?.[index])), size: bytes };
  });
  return { uploadId: UploadId, parts: await Promise.all(parts) };
}

type PartToSign = {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string;
  readonly PartNumber: number;
  readonly ContentLength: number;
};

/** As with a single PUT, the checksum and the length stay signed headers (post-uploads.ts). */
async function presignPart(s3: S3Client, part: PartToSign, sha256: string | undefined) {
  const checksum = sha256 === undefined ? undefined : Buffer.from(sha256, 'hex').toString('base64');
  const command = new UploadPartCommand(
    checksum === undefined ? part : { ...part, ChecksumSHA256: checksum },
  );
  const url = await getSignedUrl(s3, command, {
    expiresIn: multipartSeconds,
    unhoistableHeaders: new Set(['x-amz-checksum-sha256']),
    signableHeaders: new Set(['host', 'content-length', 'x-amz-checksum-sha256']),
  });
  const headers: Record<string, string> =
    checksum === undefined ? {} : { 'x-amz-checksum-sha256': checksum };
  return { url, headers };
}

export type MultipartUpload = {
  readonly ref: PayloadReference & { readonly size: number };
  readonly uploadId: string;
  readonly partCount: number;
};

/**
 * Makes the parts one object and gives its reference, pinned by its version. S3 knows an upload by its id and its key,
 * and the key begins with the tenant, so nobody can complete another tenant's. Which parts are there, S3 is asked: each
 * of them was let in by an address of ours, for its own number, size and (if known) hash. An upload whose answer was
 * lost is answered again: the key is the hash of the bytes, so what stands there is what was uploaded.
 */
export async function completeMultipart(
  s3: S3Client,
  upload: MultipartUpload,
): Promise<PayloadReference> {
  const { ref, uploadId } = upload;
  const target = { Bucket: ref.bucket, Key: ref.key, UploadId: uploadId };
  try {
    const { Parts = [] } = await s3.send(new ListPartsCommand({ ...target, MaxParts: maxParts }));
    requireAll(upload, Parts);
    const { VersionId } = await s3.send(
      new CompleteMultipartUploadCommand({
        ...target,
        MultipartUpload: { Parts: Parts.map(completedPart) },
        MpuObjectSize: ref.size,
      }),
    );
    return withVersion(ref, VersionId);
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (error instanceof NoSuchUpload) return await findCompleted(s3, upload);
    return await classifyingS3(() => Promise.reject(error));
  }
}

const completedPart = ({ PartNumber, ETag, ChecksumSHA256 }: Part) => ({
  PartNumber,
  ETag,
  ...(ChecksumSHA256 === undefined ? {} : { ChecksumSHA256 }),
});

function requireAll({ ref, partCount }: MultipartUpload, parts: readonly Part[]): void {
  const there = new Set(parts.map(({ PartNumber }) => PartNumber));
  const missing = Array.from({ length: partCount }, (_, index) => index + 1).filter(
    (partNumber) => !there.has(partNumber),
  );
  if (missing.length > 0) {
    throw new Problem('upload-incomplete', {
      detail: `of ${partCount} parts ${missing.length} are not there: ${missing.slice(0, 20).join(', ')}${missing.length > 20 ? ', …' : ''}`,
      missingParts: missing,
    });
  }
  const bytes = parts.reduce((sum, { Size = 0 }) => sum + Size, 0);
  if (bytes !== ref.size) {
    throw new Problem('upload-incomplete', {
      detail: `the parts have ${bytes} bytes in all, announced were ${ref.size}`,
    });
  }
}

async function findCompleted(s3: S3Client, { ref }: MultipartUpload): Promise<PayloadReference> {
  try {
    const head = await s3.send(new HeadObjectCommand({ Bucket: ref.bucket, Key: ref.key }));
    if (head.ContentLength === ref.size) return withVersion(ref, head.VersionId);
  } catch (error) {
    // Without s3:ListBucket a key that is not there is 403.
    const { code } = s3Verdict(error);
    if (code !== 'PAYLOAD_NOT_FOUND' && code !== 'PAYLOAD_ACCESS_DENIED') {
      await classifyingS3(() => Promise.reject(error));
    }
  }
  throw new Problem('upload-not-found', {
    detail:
      'it has expired, was aborted, or belongs to another tenant: start again with POST /uploads',
    uploads: '/uploads',
  });
}

const withVersion = (ref: PayloadReference, versionId: string | undefined): PayloadReference =>
  versionId === undefined || versionId === 'null' ? ref : { ...ref, versionId };
