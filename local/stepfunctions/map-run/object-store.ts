import { createGunzip, createZstdDecompress } from 'node:zlib';
import { Readable } from 'node:stream';
import type { ListObjectsV2CommandOutput, S3Client } from '@aws-sdk/client-s3';

export type ObjectAddress = {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
  readonly expectedBucketOwner?: string;
};

export type Listing = {
  readonly bucket: string;
  readonly prefix?: string;
  readonly startAfter?: string;
  readonly expectedBucketOwner?: string;
};

export type ListedObject = {
  readonly key: string;
  readonly etag: string;
  readonly lastModifiedSeconds: number;
  readonly size: number;
  readonly storageClass: string;
};

/** Where the items of distributed Maps are read from and their results are written to. */
export type ObjectStore = {
  /** The object's text in pieces, unpacked if it is stored as gzip or zstd. */
  read(address: ObjectAddress): AsyncIterable<string>;
  list(listing: Listing): AsyncIterable<ListedObject>;
  write(address: ObjectAddress, body: string): Promise<void>;
};

/** Amazon S3; without an endpoint the SDK's own configuration holds. */
export function createObjectStore(endpoint: string | undefined, region: string): ObjectStore {
  let client: S3Client | undefined;
  /** The SDK is loaded when it is first needed: it takes longer to load than the engine to start. */
  async function load() {
    const sdk = await import('@aws-sdk/client-s3');
    client ??= new sdk.S3Client({
      region,
      maxAttempts: 3,
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true, ...localCredentials() }),
    });
    return { client, sdk };
  }
  return {
    async *read({ bucket, key, versionId, expectedBucketOwner }) {
      const { client, sdk } = await load();
      const { Body: body, ContentEncoding: encoding } = await client.send(
        new sdk.GetObjectCommand({
          Bucket: bucket,
          Key: key,
          ...(versionId !== undefined && { VersionId: versionId }),
          ...(expectedBucketOwner !== undefined && { ExpectedBucketOwner: expectedBucketOwner }),
        }),
      );
      if (!(body instanceof Readable)) return;
      yield* textOf(unpacked(body, encoding ?? encodingOf(key)));
    },
    async *list({ bucket, prefix, startAfter, expectedBucketOwner }) {
      const { client, sdk } = await load();
      let continuation: string | undefined;
      do {
        const page: ListObjectsV2CommandOutput = await client.send(
          new sdk.ListObjectsV2Command({
            Bucket: bucket,
            ...(prefix !== undefined && { Prefix: prefix }),
            ...(startAfter !== undefined && { StartAfter: startAfter }),
            ...(expectedBucketOwner !== undefined && { ExpectedBucketOwner: expectedBucketOwner }),
            ...(continuation !== undefined && { ContinuationToken: continuation }),
          }),
        );
        for (const { Key, ETag, LastModified, Size, StorageClass } of page.Contents ?? []) {
          yield {
            key: Key ?? '',
            etag: ETag ?? '',
            lastModifiedSeconds: Math.floor((LastModified?.getTime() ?? 0) / 1000),
            size: Size ?? 0,
            storageClass: StorageClass ?? 'STANDARD',
          };
        }
        continuation = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (continuation !== undefined);
    },
    async write({ bucket, key }, body) {
      const { client, sdk } = await load();
      await client.send(
        new sdk.PutObjectCommand({
          Bucket: bucket,
          Key: key,
          Body: body,
          ContentType: 'application/json',
        }),
      );
    },
  };
}

/** A stand-in wants a signature, not a secret: without keys in the environment any will do. */
function localCredentials(): { credentials?: { accessKeyId: string; secretAccessKey: string } } {
  if (process.env['AWS_ACCESS_KEY_ID'] !== undefined) return {};
  return { credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
}

function unpacked(body: Readable, encoding: string | undefined): Readable {
  if (encoding !== 'gzip' && encoding !== 'zstd') return body;
  const unpack = encoding === 'gzip' ? createGunzip() : createZstdDecompress();
  body.on('error', (error) => unpack.destroy(error));
  return body.pipe(unpack);
}

/** Files of an S3 inventory are packed and say so only by their names. */
function encodingOf(key: string): string | undefined {
  if (key.endsWith('.gz')) return 'gzip';
  return key.endsWith('.zst') ? 'zstd' : undefined;
}

async function* textOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}
