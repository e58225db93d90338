import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { PawlClient, PayloadRef } from '../client/pawl-client.ts';
import { createProgressBar } from './progress-bar.ts';
import { UsageError } from './usage-error.ts';

/** What a file's name says of its content; the rest is octets, unless --content-type says so. */
const contentTypes: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.ndjson': 'application/x-ndjson',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
};

/** Uploads a file of any size, never held whole: it is read for its hash, for those of its parts, and to be sent. */
export async function uploadFile(
  pawl: PawlClient,
  file: string,
  { contentType, json }: { readonly contentType?: string | undefined; readonly json: boolean },
): Promise<PayloadRef> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) throw new UsageError(`there is no file ${file}`);
  const type =
    contentType ?? contentTypes[extname(file).toLowerCase()] ?? 'application/octet-stream';
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  // Beside the reference on stdout, which may be read by a program.
  const bar = createProgressBar(process.stderr);
  const onProgress = (sent: number, total: number): void =>
    bar.show(sent, total, `${megabytes(sent)} of ${megabytes(total)} MB sent`);
  try {
    return await pawl.upload(await openAsBlob(file, { type }), type, {
      sha256: hash.digest('hex'),
      ...(json ? {} : { onProgress }),
    });
  } finally {
    bar.end();
  }
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);
