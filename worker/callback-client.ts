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
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Where the receiver gives it in seconds. */
      readonly retryAfterSeconds: number | undefined;
    }
  /** `sent: false`: there was no connection, so the receiver cannot have been told. */
  | { readonly kind: 'failed'; readonly sent: boolean; readonly why: string };

export type CallbackOptions = {
  readonly allowPrivate: boolean;
  /** Ends the call; a name that is resolved after that is not called any more. */
  readonly signal: AbortSignal;
};

/**
 * Posts to an address that a client chose. The name is resolved here, every address of it is checked, and the
 * connection goes to the checked one: a name that answers otherwise the second time leads nowhere else. Redirects
 * are not followed, and of the answer only the status is read.
 */
export async function postCallback(
  request: CallbackRequest,
  { allowPrivate, signal }: CallbackOptions,
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
        sent: false,
        why: `${host} is ${forbidden?.address ?? 'nowhere'}, which is not a public address`,
      };
    }
    return await post(url, request, pinned, signal);
  } catch (error) {
    return { kind: 'failed', sent: false, why: whyOf(error) };
  }
}

const whyOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function post(
  url: URL,
  { headers, body }: CallbackRequest,
  pinned: { readonly address: string; readonly family: number },
  signal: AbortSignal,
): Promise<CallbackAnswer> {
  const transport = url.protocol === 'https:' ? https : http;
  const toPinned: LookupFunction = (_host, options, done) => {
    if (options.all === true) done(null, [{ ...pinned }]);
    else done(null, pinned.address, pinned.family);
  };
  return new Promise((resolve) => {
    let sent = false;
    const outgoing = transport.request(
      url,
      {
        method: 'POST',
        agent: false,
        lookup: toPinned,
        signal,
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      },
      (response) => {
        resolve({
          kind: 'answered',
          status: response.statusCode ?? 0,
          retryAfterSeconds: secondsOf(response.headers['retry-after']),
        });
        response.destroy();
      },
    );
    outgoing.on('error', (error) => resolve({ kind: 'failed', sent, why: whyOf(error) }));
    outgoing.on('socket', (socket) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        sent = true;
      });
    });
    outgoing.end(body);
  });
}

const secondsOf = (retryAfter: string | undefined): number | undefined =>
  retryAfter !== undefined && /^\s*\d+\s*$/.test(retryAfter) ? Number(retryAfter) : undefined;
