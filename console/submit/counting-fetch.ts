/**
 * `fetch` for sending bytes, by XMLHttpRequest, because fetch does not tell how much has been sent. `onSent` is called with
 * the bytes that are on their way to all addresses together; what is sent again is counted once.
 */
export function countingFetch(onSent: (bytes: number) => void): typeof fetch {
  const sent = new Map<string, number>();
  return async (address, { method = 'GET', headers, body, signal } = {}) =>
    await new Promise<Response>((resolve, reject) => {
      const url = address instanceof Request ? address.url : String(address);
      const count = (bytes: number): void => {
        sent.set(url, bytes);
        onSent([...sent.values()].reduce((sum, one) => sum + one, 0));
      };
      const request = new XMLHttpRequest();
      request.open(method, url);
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', ({ loaded }) => count(loaded));
      request.addEventListener('load', () =>
        resolve(new Response(request.responseText, { status: request.status })),
      );
      request.addEventListener('error', () => {
        count(0);
        const { origin } = new URL(url);
        reject(
          new Error(`${origin} cannot be reached: does the bucket let this page call it (CORS)?`),
        );
      });
      request.addEventListener('abort', () => reject(new DOMException('given up', 'AbortError')));
      signal?.addEventListener('abort', () => request.abort());
      request.send(body instanceof Blob ? body : null);
    });
}
