import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { PawlClient, PayloadRef } from '../client/pawl-client.ts';
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

/** Uploads a file of any size: it is read twice, never held whole. */
export async function uploadFile(
  pawl: PawlClient,
  file: string,
  contentType?: string,
): Promise<PayloadRef> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) throw new UsageError(`there is no file ${file}`);
  const type =
    contentType ?? contentTypes[extname(file).toLowerCase()] ?? 'application/octet-stream';
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return await pawl.upload(await openAsBlob(file, { type }), type, { sha256: hash.digest('hex') });
}
