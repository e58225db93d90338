import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../jobs/public-address.ts';

export type CallbackRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type CallbackAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'failed'; readonly why: string };

/** Standard Webhooks: a receiver has 15 to 30 seconds. */
const timeoutMs = 20_000;

/**
 * Posts to an address that a client chose. The name is resolved here, every address of it is checked, and the
 * connection goes to the checked one: a name that answers otherwise the second time leads nowhere else. Redirects
 * are not followed, and of the answer only the status is read.
 */
export async function postCallback(
  request: CallbackRequest,
  allowPrivate: boolean,
): Promise<CallbackAnswer> {
  try {
    const url = new URL(request.url);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const addresses =
      isIP(host) === 0
        ? await lookup(host, { all: true })
        : [{ address: host, family: isIP(host) }];
    const forbidden = addresses.find(({ address }) => !allowPrivate && !isPublicAddress(address));
    const [pinned] = addresses;
    if (forbidden !== undefined || pinned === undefined) {
      return {
        kind: 'failed',
        why: `${host} is ${forbidden?.address ?? 'nowhere'}, which is not a public address`,
      };
    }
    return await post(url, request, pinned);
  } catch (error) {
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}

function post(
  url: URL,
  { headers, body }: CallbackRequest,
  pinned: { readonly address: string; readonly family: number },
): Promise<CallbackAnswer> {
  const transport = url.protocol === 'https:' ? https : http;
  const toPinned: LookupFunction = (_host, options, done) => {
    if (options.all === true) done(null, [{ ...pinned }]);
    else done(null, pinned.address, pinned.family);
  };
  return new Promise((resolve, reject) => {
    const outgoing = transport.request(
      url,
      {
        method: 'POST',
        agent: false,
        lookup: toPinned,
        signal: AbortSignal.timeout(timeoutMs),
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      },
      (response) => {
        resolve({
          kind: 'answered',
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
        });
        response.destroy();
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
