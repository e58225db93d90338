// A payment provider on PAYMENT_PORT, loopback only; it keeps its books in memory.
//
//   POST /payments        {reference, amount, currency, callbackUrl}: 201 {paymentId, status: "pending"}, decided later by
//                         a webhook to callbackUrl (Standard Webhooks, PAYMENT_WEBHOOK_SECRET); an Idempotency-Key that it
//                         knows gets the first answer again
//   POST /payments/void   {reference}: 200 with how the payment stands for good: "voided", or "succeeded" or "declined"
//                         where that came first. What is voided before it was asked for is never paid
//   GET  /payments?idempotencyKey=…   the answer that the key got: 200, or 404 (PAYMENT_POLICY=lookup)
//   GET  /ledger          {requests, payments, taken, webhooks}: what was asked, decided, taken in all, and posted
//   DELETE /ledger        forgets everything
//   POST /webhooks        {reference, outcome, forged?}: posts a webhook now, whatever the books say
//   PUT  /behaviour/payments, PUT /behaviour/void   {honourKeys?, answer?, status?, headers?, delayMs?, confirm?,
//                         confirmAfterMs?, webhook?, copies?, times?}, for the next `times` requests (default: all)
//     answer   ok; fail: answers `status` (default 500) and does nothing; drop: does it and cuts the connection before
//              the answer; refuse: cuts the connection and does nothing; decline: 402
//     confirm  what becomes of the payment after confirmAfterMs: succeeded, declined, silently (paid, no webhook), never
//     webhook  after; early: before the request is answered; forged: signed with another secret. `copies` of it
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { readPort, readText } from '../processes/environment.ts';
import { listen } from '../processes/listen.ts';
import { readBody } from '../processes/read-body.ts';
import { stopOnSignal } from '../processes/stop-on-signal.ts';
import {
  GOOD_PAYMENTS,
  nextBehaviour,
  parsePaymentBehaviour,
  type PaymentBehaviour,
} from './payment-behaviour.ts';
import { parseAs, type Payment, PaymentBook, paymentRequest, viewOf } from './payment-book.ts';
import { type SentWebhook, sendWebhook } from './payment-webhooks.ts';
import { reply } from './reply.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Recorded {
  readonly at: string;
  readonly path: string;
  readonly key: string | null;
  readonly body: string;
  readonly outcome: 'answered' | 'repeated' | 'failed' | 'dropped' | 'refused';
}

const MAX_BODY_BYTES = 65_536;

const secret = readText('PAYMENT_WEBHOOK_SECRET');
const book = new PaymentBook();
const requests: Recorded[] = [];
const webhooks: SentWebhook[] = [];
const answers = new Map<string, Answer>();
const behaviours: Record<'payments' | 'void', PaymentBehaviour> = {
  payments: GOOD_PAYMENTS,
  void: GOOD_PAYMENTS,
};

const server = createServer((request, response) => {
  route(request, response).catch((error: unknown) => {
    reply(response, 400, { error: error instanceof Error ? error.message : String(error) });
  });
});
await listen(server, readPort('PAYMENT_PORT'));
stopOnSignal(() => {
  server.close();
  server.closeAllConnections();
});

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await readBody(request, MAX_BODY_BYTES)).toString('utf8');
  const url = new URL(request.url ?? '/', 'http://payment');
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /health':
      return reply(response, 200, {});
    case 'GET /ledger':
      return reply(response, 200, {
        requests,
        payments: book.payments.map(viewOf),
        taken: book.taken(),
        webhooks,
      });
    case 'DELETE /ledger':
      book.clear();
      answers.clear();
      requests.length = webhooks.length = 0;
      return reply(response, 200, {});
    case 'PUT /behaviour/payments':
      return reply(response, 200, (behaviours.payments = parsePaymentBehaviour(body)));
    case 'PUT /behaviour/void':
      return reply(response, 200, (behaviours.void = parsePaymentBehaviour(body)));
    case 'POST /webhooks':
      return await postByHand(body, response);
    case 'GET /payments': {
      const answer = answers.get(url.searchParams.get('idempotencyKey') ?? '');
      if (answer === undefined) return reply(response, 404, { error: 'nothing of this key' });
      return reply(response, 200, answer.body);
    }
    case 'POST /payments':
      return await serve('payments', request, response, body, (now) => pay(now, body));
    case 'POST /payments/void':
      return await serve('void', request, response, body, async () => {
        const { reference } = parseAs(Type.Object({ reference: Type.String() }), body);
        return { status: 200, body: book.void(reference) };
      });
    default:
      return reply(response, 404, { error: `there is no ${request.method} ${request.url}` });
  }
}

/** One request under the behaviour of now: done once a key where keys are honoured, and answered or not. */
async function serve(
  name: 'payments' | 'void',
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
  act: (now: PaymentBehaviour) => Promise<Answer>,
): Promise<void> {
  const now = behaviours[name];
  behaviours[name] = nextBehaviour(now);
  const header = request.headers['idempotency-key'];
  const key = typeof header === 'string' ? header : null;
  const known = key !== null && now.honourKeys ? answers.get(key) : undefined;
  const does = now.answer !== 'fail' && now.answer !== 'refuse';
  const answer = does ? (known ?? (await act(now))) : undefined;
  if (answer !== undefined && key !== null) answers.set(key, answer);
  const outcome = outcomeOf(now, known !== undefined);
  requests.push({ at: new Date().toISOString(), path: request.url ?? '', key, body, outcome });
  await delay(now.delayMs);
  if (outcome === 'dropped' || outcome === 'refused') response.destroy();
  else if (answer === undefined)
    reply(response, now.status, { error: 'told to fail' }, now.headers);
  else reply(response, answer.status, answer.body);
}

function outcomeOf(now: PaymentBehaviour, repeated: boolean): Recorded['outcome'] {
  if (now.answer === 'fail') return 'failed';
  if (now.answer === 'refuse') return 'refused';
  if (now.answer === 'drop') return 'dropped';
  return repeated ? 'repeated' : 'answered';
}

async function pay(now: PaymentBehaviour, body: string): Promise<Answer> {
  const payment = book.open(parseAs(paymentRequest, body));
  if (now.answer === 'decline') {
    book.decide(payment, 'declined', 'insufficient funds');
    return { status: 402, body: viewOf(payment) };
  }
  if (payment.status === 'voided') return { status: 402, body: viewOf(payment) };
  if (now.webhook === 'early') await confirm(now, payment);
  else void confirmLater(now, payment);
  return { status: 201, body: { paymentId: payment.paymentId, status: 'pending' } };
}

async function confirmLater(now: PaymentBehaviour, payment: Payment): Promise<void> {
  await delay(now.confirmAfterMs);
  await confirm(now, payment);
}

async function confirm(now: PaymentBehaviour, payment: Payment): Promise<void> {
  if (now.confirm === 'never') return;
  const outcome = now.confirm === 'declined' ? 'declined' : 'succeeded';
  const reason = outcome === 'declined' ? 'insufficient funds' : undefined;
  if (!book.decide(payment, outcome, reason) || now.confirm === 'silently') return;
  const forged = now.webhook === 'forged';
  const { webhookId } = await sendWebhook(webhooks, secret, payment, outcome, { forged });
  for (let copy = 1; copy < now.copies; copy += 1) {
    await sendWebhook(webhooks, secret, payment, outcome, { forged, webhookId });
  }
}

const byHand = Type.Object({
  reference: Type.String(),
  outcome: Type.Enum(['succeeded', 'declined']),
  forged: Type.Optional(Type.Boolean()),
});

async function postByHand(body: string, response: ServerResponse): Promise<void> {
  const { reference, outcome, forged = false } = parseAs(byHand, body);
  const payment = book.payments.findLast((candidate) => candidate.reference === reference);
  if (payment === undefined) return reply(response, 404, { error: 'there is no such payment' });
  return reply(response, 200, await sendWebhook(webhooks, secret, payment, outcome, { forged }));
}
