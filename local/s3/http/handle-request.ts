import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { verifyRequest, type Verifier } from '../auth/verify-request.ts';
import { openBody } from '../body/open-body.ts';
import { S3Error } from '../s3-error.ts';
import type { ActionContext, ActionResponse } from './action.ts';
import { parseTarget } from './parse-target.ts';
import { answerPreflight, headersForPage } from './answer-cors.ts';
import { collectHeaders } from './request-headers.ts';
import { route } from './route.ts';
import { writeError, writeResponse } from './write-response.ts';

/** Receives structured lines, as pino does. */
export interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface RequestDependencies extends ActionContext {
  verifier: Verifier;
  log: Log;
}

/** How long a refused client may go on sending its body before the connection is cut. */
const refusedBodyMs = 5000;

/** Answers one request; never rejects. `expectsContinue`: the client waits for 100 Continue before its body. */
export async function handleRequest(
  dependencies: RequestDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): Promise<void> {
  const requestId = randomBytes(8).toString('hex').toUpperCase();
  const hostId = randomBytes(36).toString('base64');
  const method = request.method ?? '';
  const [path = ''] = (request.url ?? '').split('?');
  response.setHeader('date', new Date(dependencies.clock.now()).toUTCString());
  response.setHeader('x-amz-request-id', requestId);
  response.setHeader('x-amz-id-2', hostId);
  try {
    const source = bodySource(request, response, expectsContinue);
    const answer = await act(dependencies, request, response, source);
    await writeResponse(response, answer);
  } catch (error) {
    if (response.headersSent || request.socket.destroyed) {
      dependencies.log.info({ requestId, method, path, error }, 'answer could not be sent');
      response.destroy();
      return;
    }
    if (!(error instanceof S3Error)) {
      dependencies.log.error({ requestId, method, path, error }, 'request failed');
    }
    const refusal = error instanceof S3Error ? error : new S3Error('InternalError');
    if (expectsContinue && !request.complete) response.setHeader('connection', 'close');
    writeError(response, refusal, { method, path, requestId, hostId });
    limitUnreadBody(request);
  }
}

async function act(
  dependencies: RequestDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  source: AsyncIterable<Buffer>,
): Promise<ActionResponse> {
  const method = request.method ?? '';
  const target = parseTarget(request.url ?? '');
  const headers = collectHeaders(request.rawHeaders);
  const { index } = dependencies.store;
  if (method === 'OPTIONS') return answerPreflight(index, target, headers);
  // Also on refusals: else the page could not read why.
  const forPage = Object.entries(headersForPage(index, method, target, headers));
  for (const [name, value] of forPage) response.setHeader(name, value);
  const verified = verifyRequest(dependencies.verifier, { method, target, headers });
  const action = route(method, target, headers);
  return action(dependencies, {
    bucket: target.bucket ?? '',
    key: target.key ?? '',
    query: new Map(target.queryPairs),
    headers,
    body: openBody(source, headers, verified),
  });
}

/** The raw body. Giving up on it midway must not destroy the connection that the refusal goes out on. */
async function* bodySource(
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): AsyncGenerator<Buffer, void, undefined> {
  if (expectsContinue) response.writeContinue();
  yield* request.iterator({ destroyOnReturn: false });
}

/** Node reads on and drops what is left of a refused body; this bounds for how long. */
function limitUnreadBody(request: IncomingMessage): void {
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), refusedBodyMs);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
  request.resume();
}
