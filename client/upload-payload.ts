import type { Operations } from './api-types.ts';
import { callApi, type ClientOptions } from './call-api.ts';
import { putBytes, type Sending } from './put-bytes.ts';
import { hashPayload, sendParts } from './upload-parts.ts';

/** The bytes, or something that gives them again and again without holding them all: a file's Blob. */
export type Payload = Uint8Array<ArrayBuffer> | Blob;

export type UploadOptions = {
  readonly signal?: AbortSignal;
  /** In hex, where it is known already. */
  readonly sha256?: string;
  /** Called at the start and whenever more of the bytes have arrived: at each part of a large payload. */
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
};

type PayloadRef = Operations['createUpload']['answer']['payloadRef'];

/**
 * Hashes the payload, asks for an address and puts the bytes there; S3 checks that they are the ones that were hashed.
 * Gives the reference to submit a job with. Above 100 MB it goes in parts, each checked by itself.
 */
export async function uploadPayload(
  options: ClientOptions,
  payload: Payload,
  contentType: string,
  { signal, sha256, onProgress = () => undefined }: UploadOptions = {},
): Promise<PayloadRef> {
  const blob = payload instanceof Blob ? payload : new Blob([payload]);
  const body = {
    ...(await hashPayload(blob, { sha256 })),
    size: blob.size,
    contentType,
  };
  const { body: upload } = await callApi(options, 'createUpload', { body, signal });
  const sending: Sending = { fetch: options.fetch ?? fetch, signal };
  onProgress(0, blob.size);
  if (!('parts' in upload)) {
    await putBytes(sending, { ...upload, url: upload.uploadUrl }, blob);
    onProgress(blob.size, blob.size);
    return upload.payloadRef;
  }
  await sendParts(sending, upload.parts, blob, (sentBytes) => onProgress(sentBytes, blob.size));
  const query = Object.fromEntries(new URL(upload.completeUrl, options.url).searchParams);
  const input = { path: { sha256: body.sha256 }, query, signal };
  return (await callApi(options, 'completeUpload', input)).body.payloadRef;
}
