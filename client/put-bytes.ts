import { pause } from './call-api.ts';
import { PawlUnreachable, UploadRefused } from './errors.ts';

/** With what bytes are sent. */
export type Sending = {
  readonly fetch: typeof fetch;
  readonly signal?: AbortSignal | undefined;
};

/** An address that S3 takes bytes at, and the headers that it wants with them. */
export type PresignedPut = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};

const maxTries = 4;

/** Puts the bytes where S3 takes them, again where the connection broke or S3 could not; throws UploadRefused where it will not. */
export async function putBytes(sending: Sending, to: PresignedPut, bytes: Blob): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const problem = await putOnce(sending, to, bytes);
    if (problem === undefined) return;
    if (tries >= maxTries || problem instanceof UploadRefused) throw problem;
    await pause(500 * 2 ** tries * Math.random(), sending.signal);
  }
}

async function putOnce(
  { fetch: fetchWith, signal }: Sending,
  { url, headers }: PresignedPut,
  body: Blob,
): Promise<Error | undefined> {
  try {
    const response = await fetchWith(url, {
      method: 'PUT',
      headers,
      body,
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    if (response.ok) return undefined;
    const told = `S3 answered ${response.status}: ${text.slice(0, 500)}`;
    return response.status >= 500 ? new PawlUnreachable(told) : new UploadRefused(told);
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return new PawlUnreachable('the payload could not be sent', { cause: error });
  }
}
