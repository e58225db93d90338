import { type Answer, call } from '../api/call.ts';

export type PayloadRef = Answer<'createUpload'>['payloadRef'];
export type UploadStep =
  | { readonly step: 'hashing'; readonly part: number }
  | { readonly step: 'sending'; readonly part: number }
  | { readonly step: 'done'; readonly payloadRef: PayloadRef };

/** Hashes the file, asks for an address and puts the bytes there; S3 checks that they are those that were hashed. */
export async function uploadFile(
  key: string,
  file: File,
  show: (step: UploadStep) => void,
): Promise<PayloadRef> {
  show({ step: 'hashing', part: 0 });
  const sha256 = await sha256Of(file);
  const { body: upload } = await call(key, 'createUpload', {
    body: {
      sha256,
      size: file.size,
      contentType: file.type === '' ? 'application/octet-stream' : file.type,
    },
  });
  show({ step: 'sending', part: 0 });
  await put(upload, file, (part) => show({ step: 'sending', part }));
  show({ step: 'done', payloadRef: upload.payloadRef });
  return upload.payloadRef;
}

/** WebCrypto hashes only what is whole in memory: a browser's form is for files that fit there. */
async function sha256Of(file: File): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** By XMLHttpRequest, because fetch does not tell how much has been sent. */
async function put(
  upload: Answer<'createUpload'>,
  file: File,
  sent: (part: number) => void,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(upload.method, upload.uploadUrl);
    for (const [name, value] of Object.entries(upload.headers))
      request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      sent(total === 0 ? 1 : loaded / total),
    );
    request.addEventListener('load', () => {
      if (request.status < 300) resolve();
      else
        reject(new Error(`S3 answered ${request.status}: ${request.responseText.slice(0, 300)}`));
    });
    request.addEventListener('error', () =>
      reject(
        new Error(
          `${new URL(upload.uploadUrl).origin} cannot be reached: does the bucket let this page call it (CORS)?`,
        ),
      ),
    );
    request.send(file);
  });
}
