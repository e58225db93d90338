// A preload (`NODE_OPTIONS=--import=…`) that notes every signed AWS call of a process in PAWL_CALLS_FILE, a line each.
import { appendFileSync } from 'node:fs';
import http, { type ClientRequest } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

/** One call: who made it, and what of the request tells its action and resource. */
export type RecordedCall = {
  /** The script of the process. */
  readonly script: string;
  /** Where the call came from; the bundle of a function holds its own copy of the SDK. */
  readonly stack: string;
  readonly service: string;
  readonly method: string;
  readonly path: string;
  /** `X-Amz-Target`, of the services that speak JSON. */
  readonly target: string;
  readonly body: string;
};

const file = process.env['PAWL_CALLS_FILE'];
if (file !== undefined) record(file);

function record(into: string): void {
  const original = http.request;
  const watched = (...args: unknown[]): ClientRequest => {
    const request: ClientRequest = Reflect.apply(original, http, args);
    const { stack = '' } = new Error('made here');
    const chunks: Buffer[] = [];
    keepChunks(request, chunks);
    request.once('finish', () => note(into, request, stack, chunks));
    return request;
  };
  Reflect.set(http, 'request', watched);
  syncBuiltinESMExports();
}

function keepChunks(request: ClientRequest, chunks: Buffer[]): void {
  for (const name of ['write', 'end'] as const) {
    const original: unknown = request[name];
    if (typeof original !== 'function') continue;
    Reflect.set(request, name, (...args: unknown[]) => {
      const [chunk] = args;
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
      return Reflect.apply(original, request, args);
    });
  }
}

function note(into: string, request: ClientRequest, stack: string, chunks: Buffer[]): void {
  const scope = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(
    String(request.getHeader('authorization') ?? ''),
  );
  if (scope === null) return;
  const service = scope[1] ?? '';
  const call: RecordedCall = {
    script: process.argv[1] ?? '',
    stack,
    service,
    method: request.method,
    path: request.path,
    target: String(request.getHeader('x-amz-target') ?? ''),
    // A payload's bytes say nothing of the action.
    body: service === 's3' ? '' : Buffer.concat(chunks).toString('utf8'),
  };
  appendFileSync(into, `${JSON.stringify(call)}\n`);
}
