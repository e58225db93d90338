import type { IncomingMessage } from 'node:http';

/** The request has a body larger than its reader takes. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/** Reads a request's whole body; throws BodyTooLargeError past `maxBytes`, after reading on so that an answer can be sent. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) continue;
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  if (bytes > maxBytes)
    throw new BodyTooLargeError(`a body of ${bytes} bytes; at most ${maxBytes} are taken`);
  return Buffer.concat(chunks, bytes);
}
