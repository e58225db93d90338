import type { IncomingMessage } from 'node:http';

/** The request has a body larger than its reader takes. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/** Reads a request's whole body; throws BodyTooLargeError past `maxBytes`, after reading on so that an answer can be sent. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  });
  // Events and not an iterator, which costs a small request more than all the rest of its body.
  await new Promise<void>((resolve, reject) => {
    request.on('end', resolve).on('error', reject);
  });
  if (bytes > maxBytes)
    throw new BodyTooLargeError(`a body of ${bytes} bytes; at most ${maxBytes} are taken`);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, bytes);
}
