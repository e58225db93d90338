// Invoke: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { BodyTooLargeError, readBody } from '../processes/read-body.ts';
import { functionArn, plainFunctionName } from './function-name.ts';
import type { LambdaFunction } from './functions.ts';
import { type Host, MAX_PAYLOAD_BYTES, type Outcome } from './host.ts';

const PATH = /^\/2015-03-31\/functions\/([^/]+)\/invocations(?:\?.*)?$/;
const MAX_EVENT_BYTES = 1_048_576;
/** Lambda runs a failed asynchronous invocation twice more, after one and after two minutes. */
const EVENT_RETRY_DELAYS_MS = [60_000, 120_000];
/** Longer than any client keeps an idle connection, so that none sends on one we are just closing. */
const KEEP_ALIVE_MS = 120_000;

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface InvokeApiOptions {
  readonly host: Host;
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly region: string;
  readonly log: (line: string) => void;
}

/** The server, not yet listening. `GET /health` answers 200. */
export function createInvokeApi(options: InvokeApiOptions): Server {
  const server = createServer((request, response) => {
    void answer(options, request)
      .catch((error: unknown): Reply => {
        options.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
        return refuse(500, 'ServiceException', 'internal error, see the log of lambda');
      })
      .then((reply) => send(response, reply));
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 1_000;
  return server;
}

async function answer(options: InvokeApiOptions, request: IncomingMessage): Promise<Reply> {
  if (request.method === 'GET' && request.url === '/health') return { status: 200 };
  const given = PATH.exec(request.url ?? '')?.[1];
  if (request.method !== 'POST' || given === undefined) {
    return refuse(404, 'UnknownOperationException', 'This stand-in has the action Invoke only.');
  }
  const name = plainFunctionName(decodeURIComponent(given));
  if (name === undefined) {
    return refuse(400, 'ValidationException', `${given} is not a function name or ARN.`);
  }
  const lambda = options.functions.get(name);
  if (!lambda) {
    const arn = functionArn(options.region, name);
    return refuse(404, 'ResourceNotFoundException', `Function not found: ${arn}`);
  }
  const type = headerOf(request, 'x-amz-invocation-type') ?? 'RequestResponse';
  const limitBytes = type === 'Event' ? MAX_EVENT_BYTES : MAX_PAYLOAD_BYTES;
  const payload = await readPayload(request, limitBytes);
  if ('status' in payload) return payload;
  switch (type) {
    case 'RequestResponse':
      return describe(await options.host.invoke(lambda, payload.text, clientContextOf(request)));
    case 'Event':
      void runAsEvent(options, lambda, payload.text);
      return { status: 202 };
    case 'DryRun':
      return { status: 204 };
    default:
      return refuse(400, 'InvalidParameterValueException', `There is no invocation type ${type}.`);
  }
}

async function readPayload(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Reply | { readonly text: string }> {
  let text: string;
  try {
    text = (await readBody(request, limitBytes)).toString('utf8');
  } catch (error) {
    if (!(error instanceof BodyTooLargeError)) throw error;
    const message = `Request must be smaller than ${limitBytes} bytes for the InvokeFunction operation`;
    return refuse(413, 'RequestTooLargeException', message);
  }
  if (text === '') return { text: '{}' };
  try {
    JSON.parse(text);
    return { text };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Could not parse request body into json: ${reason}`;
    return refuse(400, 'InvalidRequestContentException', message);
  }
}

function describe(outcome: Outcome): Reply {
  const headers = { 'x-amzn-requestid': outcome.requestId, 'x-amz-executed-version': '$LATEST' };
  switch (outcome.kind) {
    case 'result':
      return { status: 200, headers, body: outcome.payload };
    case 'function-error':
      return {
        status: 200,
        headers: { ...headers, 'x-amz-function-error': 'Unhandled' },
        body: outcome.payload,
      };
    case 'throttled':
      return {
        ...refuse(429, 'TooManyRequestsException', 'Rate Exceeded.'),
        body: JSON.stringify({
          Reason: 'ConcurrentInvocationLimitExceeded',
          Type: 'User',
          message: 'Rate Exceeded.',
        }),
      };
    case 'service-error':
      return refuse(500, 'ServiceException', outcome.reason);
  }
}

async function runAsEvent(
  { host, log }: InvokeApiOptions,
  lambda: LambdaFunction,
  payload: string,
): Promise<void> {
  for (const waitMs of [0, ...EVENT_RETRY_DELAYS_MS]) {
    await delay(waitMs);
    const outcome = await host.invoke(lambda, payload);
    if (outcome.kind === 'result') return;
    log(`asynchronous invocation of ${lambda.name} failed: ${JSON.stringify(outcome)}`);
  }
}

/** An error in AWS's REST JSON protocol: its name travels in a header. */
function refuse(status: number, type: string, message: string): Reply {
  const body = JSON.stringify({ Type: status < 500 ? 'User' : 'Service', Message: message });
  return { status, headers: { 'x-amzn-errortype': type }, body };
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

function clientContextOf(request: IncomingMessage): unknown {
  const encoded = headerOf(request, 'x-amz-client-context');
  if (encoded === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  } catch {
    return undefined; // as Lambda, which passes on what it can read
  }
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
