import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { classifyingS3 } from './classify.ts';
import type { PayloadReference } from './payload-reference.ts';

type Target = { readonly bucket: string; readonly key: string; readonly contentType: string };

/** S3 takes parts of at least 5 MiB, and 10,000 of them. */
const partBytes = 8 * 1024 * 1024;

/**
 * Writes lines to an object of S3, in parts where they are more than one part: memory does not grow with them.
 * Gives where they are, as a job's result refers to an object. Throws S3_UNAVAILABLE, S3_REFUSED, ….
 */
export async function writeLines(
  s3: S3Client,
  target: Target,
  lines: AsyncIterable<string>,
): Promise<PayloadReference> {
  const { bucket, key } = target;
  const hash = createHash('sha256');
  const upload = new Upload(s3, target);
  let size = 0;
  try {
    for await (const part of partsOf(lines)) {
      hash.update(part);
      size += part.length;
      await upload.add(part);
    }
    const versionId = await upload.finish();
    const sha256 = hash.digest('hex');
    return { bucket, key, ...(versionId === undefined ? {} : { versionId }), sha256, size };
  } catch (error) {
    await upload.abort();
    throw error;
  }
}

async function* partsOf(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let texts: string[] = [];
  let bytes = 0;
  for await (const line of lines) {
    texts.push(line, '\n');
    bytes += Buffer.byteLength(line) + 1;
    if (bytes < partBytes) continue;
    yield Buffer.from(texts.join(''));
    texts = [];
    bytes = 0;
  }
  yield Buffer.from(texts.join(''));
}

/** One PUT for one part; a multipart upload from the second part on. */
class Upload {
  readonly #s3: S3Client;
  readonly #target: { readonly Bucket: string; readonly Key: string };
  readonly #contentType: string;
  #held: Buffer | undefined;
  #uploadId: string | undefined;
  readonly #parts: { ETag: string | undefined; PartNumber: number }[] = [];

  constructor(s3: S3Client, { bucket, key, contentType }: Target) {
    this.#s3 = s3;
    this.#target = { Bucket: bucket, Key: key };
    this.#contentType = contentType;
  }

  async add(part: Buffer): Promise<void> {
    if (this.#held !== undefined) await this.#send(this.#held);
    this.#held = part;
  }

  /** Gives the version that was written, in a bucket that keeps versions. */
  async finish(): Promise<string | undefined> {
    const Body = this.#held ?? Buffer.alloc(0);
    if (this.#uploadId === undefined) {
      const put = { ...this.#target, ContentType: this.#contentType, Body };
      const { VersionId } = await classifyingS3(() => this.#s3.send(new PutObjectCommand(put)));
      return VersionId;
    }
    if (Body.length > 0) await this.#send(Body);
    const whole = {
      ...this.#target,
      UploadId: this.#uploadId,
      MultipartUpload: { Parts: this.#parts },
    };
    const { VersionId } = await classifyingS3(() =>
      this.#s3.send(new CompleteMultipartUploadCommand(whole)),
    );
    return VersionId;
  }

  /** What cannot be aborted now is left to the bucket's lifecycle rule; the error that led here matters more. */
  async abort(): Promise<void> {
    if (this.#uploadId === undefined) return;
    const begun = { ...this.#target, UploadId: this.#uploadId };
    await this.#s3.send(new AbortMultipartUploadCommand(begun)).catch(() => undefined);
  }

  async #send(Body: Buffer): Promise<void> {
    this.#uploadId ??= await this.#begin();
    const PartNumber = this.#parts.length + 1;
    const part = { ...this.#target, UploadId: this.#uploadId, PartNumber, Body };
    const { ETag } = await classifyingS3(() => this.#s3.send(new UploadPartCommand(part)));
    this.#parts.push({ ETag, PartNumber });
  }

  async #begin(): Promise<string | undefined> {
    const wanted = { ...this.#target, ContentType: this.#contentType };
    const { UploadId } = await classifyingS3(() =>
      this.#s3.send(new CreateMultipartUploadCommand(wanted)),
    );
    return UploadId;
  }
}
