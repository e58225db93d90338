// A receiver of webhooks on WEBHOOK_PORT, loopback only; it keeps what it got in memory.
//
//   POST /webhook     does the work (an "effect") and answers 200 {"effect": n}; with an Idempotency-Key (or webhook-id)
//                     it knows already: no second effect, the same answer
//   GET  /webhook?idempotencyKey=…   whether that key's work was done: 200 {"effect": n} or 404 (WEBHOOK_POLICY=lookup)
//   GET  /requests    every request, oldest first: {at, headers, body, key, effect, outcome}
//   PUT  /behaviour   {honourKeys?, answer?: "ok" | "fail" | "drop" | "refuse", status?, headers?, delayMs?, times?}
//                       fail    answers `status` (default 500) without doing the work
//                       drop    does the work and cuts the connection before the answer
//                       refuse  cuts the connection without doing the work
//                     for the next `times` requests (default: until told otherwise)
//   DELETE /requests  forgets the requests and the keys
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { readPort } from '../processes/environment.ts';
import { listen } from '../processes/listen.ts';
import { readBody } from '../processes/read-body.ts';
import { stopOnSignal } from '../processes/stop-on-signal.ts';
import { type Behaviour, GOOD_BEHAVIOUR, parseBehaviour } from './behaviour.ts';

interface Recorded {
  readonly at: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly key: string | null;
  /** The number of the effect that this request had or that its key had before; null when the work was not done. */
  readonly effect: number | null;
  readonly outcome: 'answered' | 'repeated' | 'failed' | 'dropped' | 'refused';
}

const MAX_BODY_BYTES = 1_048_576;
const MAX_REMEMBERED = 20_000;

const requests: Recorded[] = [];
const effectOfKey = new Map<string, number>();
let behaviour: Behaviour = GOOD_BEHAVIOUR;
let effects = 0;

const server = createServer((request, response) => {
  route(request, response).catch((error: unknown) => {
    reply(response, 400, { error: error instanceof Error ? error.message : String(error) });
  });
});
await listen(server, readPort('WEBHOOK_PORT'));
stopOnSignal(() => {
  server.close();
  server.closeAllConnections();
});

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await readBody(request, MAX_BODY_BYTES)).toString('utf8');
  const url = new URL(request.url ?? '/', 'http://webhook');
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /health':
      return reply(response, 200, {});
    case 'GET /requests':
      return reply(response, 200, { requests, effects });
    case 'DELETE /requests':
      requests.length = 0;
      effectOfKey.clear();
      effects = 0;
      return reply(response, 200, {});
    case 'PUT /behaviour':
      behaviour = parseBehaviour(body);
      return reply(response, 200, behaviour);
    case 'POST /webhook':
      return await receive(request, response, body);
    case 'GET /webhook':
      return lookUp(url.searchParams.get('idempotencyKey'), response);
    default:
      return reply(response, 404, { error: `there is no ${request.method} ${request.url}` });
  }
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): Promise<void> {
  const now = behaviour;
  if (behaviour.times !== null) {
    behaviour = behaviour.times > 1 ? { ...behaviour, times: behaviour.times - 1 } : GOOD_BEHAVIOUR;
  }
  const key = keyOf(request);
  const { effect, outcome } = act(now, key);
  requests.push({
    at: new Date().toISOString(),
    headers: request.headers,
    body,
    key,
    effect,
    outcome,
  });
  if (requests.length > MAX_REMEMBERED) requests.shift();
  await delay(now.delayMs);
  if (outcome === 'dropped' || outcome === 'refused') response.destroy();
  else if (outcome === 'failed')
    reply(response, now.status, { error: 'told to fail' }, now.headers);
  else reply(response, 200, { effect });
}

function lookUp(key: string | null, response: ServerResponse): void {
  const effect = key === null ? undefined : effectOfKey.get(key);
  if (effect === undefined) reply(response, 404, { error: 'nothing was done under this key' });
  else reply(response, 200, { effect });
}

function act(now: Behaviour, key: string | null): Pick<Recorded, 'effect' | 'outcome'> {
  if (now.answer === 'fail') return { effect: null, outcome: 'failed' };
  if (now.answer === 'refuse') return { effect: null, outcome: 'refused' };
  const known = key !== null && now.honourKeys ? effectOfKey.get(key) : undefined;
  const effect = known ?? ++effects;
  if (key !== null) effectOfKey.set(key, effect);
  if (now.answer === 'drop') return { effect, outcome: 'dropped' };
  return { effect, outcome: known === undefined ? 'answered' : 'repeated' };
}

function keyOf(request: IncomingMessage): string | null {
  const key = request.headers['idempotency-key'] ?? request.headers['webhook-id'];
  return typeof key === 'string' ? key : null;
}

function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
