import { putBytes } from '../../client/put-bytes.ts';
import { hashPayload, sendParts } from '../../client/upload-parts.ts';
import { type Answer, call } from '../api/call.ts';
import { countingFetch } from './counting-fetch.ts';

export type PayloadRef = Answer<'createUpload'>['payloadRef'];
export type UploadStep =
  | { readonly step: 'hashing' | 'sending'; readonly bytes: number; readonly of: number }
  | { readonly step: 'done'; readonly payloadRef: PayloadRef };

/**
 * Hashes the file, asks for an address and puts the bytes there, S3 checking that they are those that were hashed: by one
 * PUT, or in parts where the API says so, which it does for large files.
 */
export async function uploadFile(
  key: string,
  file: File,
  show: (step: UploadStep) => void,
): Promise<PayloadRef> {
  const of = file.size;
  show({ step: 'hashing', bytes: 0, of });
  const hashes = await hashPayload(file, {
    onHashed: (bytes) => show({ step: 'hashing', bytes, of }),
  });
  const contentType = file.type === '' ? 'application/octet-stream' : file.type;
  const { body: upload } = await call(key, 'createUpload', {
    body: { ...hashes, size: file.size, contentType },
  });
  show({ step: 'sending', bytes: 0, of });
  const sending = { fetch: countingFetch((bytes) => show({ step: 'sending', bytes, of })) };
  const payloadRef = await send();
  show({ step: 'done', payloadRef });
  return payloadRef;

  async function send(): Promise<PayloadRef> {
    if (!('parts' in upload)) {
      await putBytes(sending, { ...upload, url: upload.uploadUrl }, file);
      return upload.payloadRef;
    }
    await sendParts(sending, upload.parts, file);
    const query = Object.fromEntries(
      new URL(upload.completeUrl, window.location.href).searchParams,
    );
    const path = { sha256: hashes.sha256 };
    return (await call(key, 'completeUpload', { path, query })).body.payloadRef;
  }
}
