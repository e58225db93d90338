import { type PresignedPut, putBytes, type Sending } from './put-bytes.ts';

/** Larger payloads go in parts, as the API itself says then. */
const multipartAboveBytes = 100 * 1000 ** 2;
/** Of every part but the last. */
const partBytes = 16 * 1024 ** 2;
const atOnce = 4;

/** What `createUpload` is told of the parts of a large payload, so that S3 checks each as it comes; of others, nothing. */
export async function announceParts(
  blob: Blob,
): Promise<{ readonly partSize?: number; readonly partSha256?: string[] }> {
  if (blob.size <= multipartAboveBytes) return {};
  const partSha256: string[] = [];
  for (let from = 0; from < blob.size; from += partBytes) {
    partSha256.push(await sha256Of(blob.slice(from, from + partBytes)));
  }
  return { partSize: partBytes, partSha256 };
}

/** In hex. WebCrypto hashes only what is whole in memory; the client runs in browsers too. */
export async function sha256Of(blob: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Puts the parts of a payload where they belong, a few at the same time. A part that fails is sent again, alone; when one
 * is given up, so are the others. `onSent` is called with the bytes that have arrived, each time a part has.
 */
export async function sendParts(
  sending: Sending,
  parts: readonly (PresignedPut & { readonly size: number })[],
  blob: Blob,
  onSent: (sentBytes: number) => void = () => undefined,
): Promise<void> {
  const givenUp = new AbortController();
  const signals = [givenUp.signal, ...(sending.signal === undefined ? [] : [sending.signal])];
  const signal = AbortSignal.any(signals);
  const waiting = slicesOf(parts, blob);
  let sentBytes = 0;
  const sendOnAndOn = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await putBytes({ ...sending, signal }, next.part, next.bytes);
      sentBytes += next.part.size;
      onSent(sentBytes);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, sendOnAndOn));
  } catch (error) {
    givenUp.abort();
    throw error;
  }
}

function slicesOf<Part extends { readonly size: number }>(parts: readonly Part[], blob: Blob) {
  let from = 0;
  return parts.map((part) => {
    const bytes = blob.slice(from, from + part.size);
    from += part.size;
    return { part, bytes };
  });
}
