import { announceParts, sendParts, sha256Of } from '../../client/upload-parts.ts';
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
      ...(await announceParts(file)),
    },
  });
  show({ step: 'sending', part: 0 });
  const payloadRef = await send(key, sha256, upload, file, (part) =>
    show({ step: 'sending', part }),
  );
  show({ step: 'done', payloadRef });
  return payloadRef;
}

/** By one PUT, or part by part where the API says so: it does for large files. */
async function send(
  key: string,
  sha256: string,
  upload: Answer<'createUpload'>,
  file: File,
  sent: (part: number) => void,
): Promise<PayloadRef> {
  if (!('parts' in upload)) {
    await put(upload, file, sent);
    return upload.payloadRef;
  }
  await sendParts({ fetch: window.fetch.bind(window) }, upload.parts, file, (sentBytes) =>
    sent(sentBytes / file.size),
  );
  const query = Object.fromEntries(new URL(upload.completeUrl).searchParams);
  return (await call(key, 'completeUpload', { path: { sha256 }, query })).body.payloadRef;
}

/** By XMLHttpRequest, because fetch does not tell how much has been sent. */
async function put(
  upload: Exclude<Answer<'createUpload'>, { parts: unknown }>,
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
