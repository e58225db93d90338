import type { Operations } from './api-types.ts';
import { callApi, type ClientOptions, pause } from './call-api.ts';
import { PawlUnreachable } from './errors.ts';

/** The bytes, or something that gives them again and again without holding them all: a file's Blob. */
export type Payload = Uint8Array<ArrayBuffer> | Blob;

export type UploadOptions = {
  readonly signal?: AbortSignal;
  /** In hex, where it is known already: a file that does not fit into memory is hashed as a stream. */
  readonly sha256?: string;
};

const maxTries = 4;

/**
 * Hashes the payload, asks for an address and puts the bytes there; S3 checks that they are the ones that were hashed.
 * Gives the reference to submit a job with.
 */
export async function uploadPayload(
  options: ClientOptions,
  payload: Payload,
  contentType: string,
  { signal, sha256 }: UploadOptions = {},
): Promise<Operations['createUpload']['answer']['payloadRef']> {
  const blob = payload instanceof Blob ? payload : new Blob([payload]);
  const body = { sha256: sha256 ?? (await sha256Of(blob)), size: blob.size, contentType };
  const { body: upload } = await callApi(options, 'createUpload', { body, signal });
  for (let tries = 1; ; tries += 1) {
    const problem = await put(options, upload, blob, signal);
    if (problem === undefined) return upload.payloadRef;
    if (tries >= maxTries || problem instanceof UploadRefused) throw problem;
    await pause(500 * 2 ** tries * Math.random(), signal);
  }
}

/** S3 refused the bytes; its answer says why. */
export class UploadRefused extends Error {
  override readonly name = 'UploadRefused';
}

async function put(
  { fetch: fetchWith = fetch }: ClientOptions,
  upload: Operations['createUpload']['answer'],
  body: Blob,
  signal?: AbortSignal,
): Promise<Error | undefined> {
  try {
    const { method, headers, uploadUrl } = upload;
    const response = await fetchWith(uploadUrl, {
      method,
      headers,
      body,
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.ok) return undefined;
    const text = `S3 answered ${response.status}: ${(await response.text()).slice(0, 500)}`;
    return response.status >= 500 ? new PawlUnreachable(text) : new UploadRefused(text);
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return new PawlUnreachable('the payload could not be sent', { cause: error });
  }
}

/** WebCrypto hashes only what is whole in memory; the client runs in browsers too. */
async function sha256Of(blob: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
