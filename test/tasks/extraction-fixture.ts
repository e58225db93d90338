import { after } from 'node:test';
import { JobError } from '../../jobs/failure.ts';
import type { DocumentFacts } from '../../tasks/extraction/document-facts.ts';
import type { ReaderLimits } from '../../tasks/extraction/document-reader.ts';
import { createReaderPool, type ReaderPool } from '../../tasks/extraction/reader-pool.ts';

/** A pool with limits that a test can wait for. */
export function startReaders(limits: Partial<ReaderLimits> = {}): ReaderPool {
  const pool = createReaderPool({ budgetMs: 15_000, memoryBytes: 512 * 1024 ** 2, ...limits });
  after(() => pool.close());
  return pool;
}

/** Reads bytes as they would come from S3, 64 KiB a chunk. */
export async function readBytes(
  pool: ReaderPool,
  bytes: Buffer | string,
  contentType: string | null = null,
): Promise<DocumentFacts> {
  const all = Buffer.from(bytes);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < all.length; at += 65_536) yield all.subarray(at, at + 65_536);
  }
  return await pool.read(async () => chunks(), { bytes: all.length, contentType });
}

/** The class and code with which reading fails, or what it gave. */
export async function outcomeOf(read: Promise<DocumentFacts>): Promise<string> {
  try {
    return JSON.stringify(await read);
  } catch (error) {
    if (error instanceof JobError) return `${error.name} ${error.code}`;
    throw error;
  }
}
