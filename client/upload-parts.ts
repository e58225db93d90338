import { type PresignedPut, putBytes, type Sending } from './put-bytes.ts';
import { Sha256 } from './sha256.ts';

/** Larger payloads go in parts, as the API itself says then. */
const multipartAboveBytes = 100 * 1000 ** 2;
/** Of every part but the last. */
const partBytes = 16 * 1024 ** 2;
const atOnce = 4;
const pieceBytes = 2 * 1024 ** 2;

/** What `createUpload` is told of a payload's bytes: hashes in hex; of a large one also those of its parts, which S3 checks as they come. */
export type PayloadHashes = {
  readonly sha256: string;
  readonly partSize?: number;
  readonly partSha256?: string[];
};

/**
 * Reads the payload once, a part at a time, so that a large one is never whole in memory; `onHashed` is called with the
 * bytes that are done. Where `sha256` is known already, only the parts are hashed, if there will be any.
 */
export async function hashPayload(
  blob: Blob,
  {
    sha256,
    onHashed = () => undefined,
  }: { readonly sha256?: string | undefined; readonly onHashed?: (bytes: number) => void } = {},
): Promise<PayloadHashes> {
  const inParts = blob.size > multipartAboveBytes;
  if (sha256 !== undefined && !inParts) return { sha256 };
  if (blob.size <= partBytes) return { sha256: await sha256Of(await blob.arrayBuffer()) };
  const whole = new Sha256();
  const partSha256: string[] = [];
  for (let from = 0; from < blob.size; from += partBytes) {
    const bytes = await blob.slice(from, from + partBytes).arrayBuffer();
    const part = inParts ? sha256Of(bytes) : undefined;
    if (sha256 === undefined) await addInPieces(whole, new Uint8Array(bytes));
    if (part !== undefined) partSha256.push(await part);
    onHashed(from + bytes.byteLength);
  }
  return {
    sha256: sha256 ?? whole.digest(),
    ...(inParts ? { partSize: partBytes, partSha256 } : {}),
  };
}

/** A page goes on being moved and clicked in between: a piece takes some 10 ms. */
async function addInPieces(hash: Sha256, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    hash.update(bytes.subarray(from, from + pieceBytes));
    await nextTurn();
  }
}

/** By a message, since browsers hold up the timers of a page that is not seen. */
const nextTurn = async (): Promise<void> => {
  const { port1, port2 } = new MessageChannel();
  await new Promise((resolve) => {
    port1.addEventListener('message', resolve, { once: true });
    port1.start();
    port2.postMessage(undefined);
  });
  port1.close();
};

async function sha256Of(bytes: ArrayBuffer): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes);
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
