import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Engine } from '../engine.ts';
import { ApiError } from './api-error.ts';
import { parseRequest } from './parse-request.ts';

/** AWS takes requests of up to 1 MB; a definition alone may have 1,048,576 characters. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const CONTENT_TYPE = 'application/x-amz-json-1.0';

/** More than the API has, for those who run the engine: `POST /_admin/…` with a JSON body. */
export type AdminCall = (body: unknown) => object;

/** The AWS JSON 1.0 protocol over HTTP: `POST /` with `X-Amz-Target: AWSStepFunctions.<Operation>`. */
export function createHttpServer(
  engine: Engine,
  admin: Readonly<Record<string, AdminCall>>,
  report: (error: unknown) => void,
): Server {
  return createServer((request, response) => {
    answer(engine, admin, request, response).catch((error: unknown) => {
      sendError(response, error, report);
    });
  });
}

async function answer(
  engine: Engine,
  admin: Readonly<Record<string, AdminCall>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (request.method === 'GET' && request.url === '/_health') {
    return send(response, 200, { status: 'ok', ...engine.counts() });
  }
  const adminCall = request.method === 'POST' && admin[request.url ?? ''];
  if (adminCall) return send(response, 200, adminCall(body === '' ? {} : JSON.parse(body)));
  const { operation, input } = parseRequest(request.method, request.headers['x-amz-target'], body);
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  send(response, 200, await engine.call(operation, input, gone.signal));
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    });
    request.on('error', reject);
    request.on('end', () => {
      if (bytes <= MAX_BODY_BYTES) return resolve(Buffer.concat(chunks).toString());
      reject(
        new ApiError('ValidationException', `A request can have at most ${MAX_BODY_BYTES} bytes.`),
      );
    });
  });
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': CONTENT_TYPE,
    'Content-Length': Buffer.byteLength(text),
    'x-amzn-RequestId': crypto.randomUUID(),
  });
  response.end(text);
}

function sendError(
  response: ServerResponse,
  error: unknown,
  report: (error: unknown) => void,
): void {
  if (response.headersSent) return void response.destroy();
  if (!(error instanceof ApiError)) {
    report(error);
    const internal = new ApiError('InternalFailure', 'The engine failed to answer; see its log.');
    return send(response, internal.httpStatus, {
      __type: internal.wireType,
      message: internal.message,
    });
  }
  send(response, error.httpStatus, {
    __type: error.wireType,
    message: error.message,
    ...error.members,
  });
}
