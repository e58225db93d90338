import { createHash } from 'node:crypto';
import { createChecksum, type ChecksumAlgorithm } from '../checksums/checksum-algorithms.ts';
import type { ContentFiles, IncomingFile } from '../store/content-files.ts';

/** Bytes that have been written to a file, which is to be kept or discarded. */
export interface ReceivedContent {
  incoming: IncomingFile;
  bytes: number;
  md5: Buffer;
  /** Base64, for each algorithm asked for. */
  checksums: ReadonlyMap<ChecksumAlgorithm, string>;
}

/** Streams bytes into an incoming file, hashing as they pass; on failure nothing is left behind. */
export async function receiveContent(
  content: ContentFiles,
  source: AsyncIterable<Buffer>,
  algorithms: readonly ChecksumAlgorithm[],
): Promise<ReceivedContent> {
  const incoming = await content.create();
  try {
    const md5 = createHash('md5');
    const running = new Map(algorithms.map((name) => [name, createChecksum(name)]));
    let bytes = 0;
    for await (const piece of source) {
      bytes += piece.length;
      md5.update(piece);
      for (const checksum of running.values()) checksum.update(piece);
      await incoming.write(piece);
    }
    const checksums = new Map(
      [...running].map(([name, checksum]) => [name, checksum.digest().toString('base64')]),
    );
    return { incoming, bytes, md5: md5.digest(), checksums };
  } catch (error) {
    await incoming.discard();
    throw error;
  }
}
