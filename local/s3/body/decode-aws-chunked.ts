import { createHash } from 'node:crypto';
import type { ChunkSignatures } from '../auth/chunk-signatures.ts';
import { S3Error } from '../s3-error.ts';
import { ByteReader } from './byte-reader.ts';

interface AwsChunkedOptions {
  /** Undefined for STREAMING-UNSIGNED-PAYLOAD-TRAILER. */
  signatures: ChunkSignatures | undefined;
  /** Names announced by `x-amz-trailer`; empty if the body has no trailer. */
  trailerNames: readonly string[];
  /** Filled once the body has ended. */
  trailers: Map<string, string>;
}

const maxLineBytes = 4096;
const maxTrailers = 16;
const chunkHeader = /^([0-9a-fA-F]{1,10})(?:;chunk-signature=([0-9a-f]{64}))?$/;

/** The data inside an aws-chunked body; each chunk's signature is checked when the chunk has ended. */
export async function* decodeAwsChunked(
  source: AsyncIterable<Buffer>,
  options: AwsChunkedOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const reader = new ByteReader(source);
  for (;;) {
    const [, size, signature] = chunkHeader.exec(await reader.readLine(maxLineBytes)) ?? [];
    if (size === undefined) {
      throw new S3Error('InvalidRequest', {
        message: 'A chunk of the aws-chunked body must start with its size in hex.',
      });
    }
    const bytes = Number.parseInt(size, 16);
    const hash = options.signatures && createHash('sha256');
    for await (const piece of reader.read(bytes)) {
      hash?.update(piece);
      yield piece;
    }
    if (hash) options.signatures?.verifyChunk(hash.digest('hex'), signature);
    if (bytes === 0) break;
    if ((await reader.readLine(0)) !== '') throw new S3Error('IncompleteBody');
  }
  await readTrailers(reader, options);
}

async function readTrailers(reader: ByteReader, options: AwsChunkedOptions): Promise<void> {
  const { trailers, trailerNames, signatures } = options;
  const signatureName = 'x-amz-trailer-signature';
  let signature: string | undefined;
  for (let line = await reader.readLine(maxLineBytes); line !== '';) {
    const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? [];
    const lowerName = name.trim().toLowerCase();
    if (lowerName === signatureName) signature = value.trim();
    else trailers.set(lowerName, value.trim());
    if (trailers.size > maxTrailers) throw new S3Error('MalformedTrailerError');
    line = await reader.readLine(maxLineBytes);
  }
  const isAsAnnounced =
    trailers.size === trailerNames.length && trailerNames.every((name) => trailers.has(name));
  if (!isAsAnnounced) throw new S3Error('MalformedTrailerError');
  if (signatures !== undefined && trailerNames.length > 0) {
    const canonical = [...trailers].map(([name, value]) => `${name}:${value}\n`).join('');
    signatures.verifyTrailer(canonical, signature);
  }
}
