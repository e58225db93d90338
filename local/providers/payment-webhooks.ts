import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Payment } from './payment-book.ts';

export interface SentWebhook {
  readonly webhookId: string;
  readonly paymentId: string;
  readonly type: string;
  readonly forged: boolean;
  /** The receiver's status, or why there was none; the last of several tries. */
  answer: string;
  tries: number;
}

/** How long a receiver that does not take a webhook is tried again. */
const MAX_TRIES = 60;
const LONGEST_PAUSE_MS = 2_000;

/** Sends a payment's outcome to its callback URL, signed; again with the same id until it is taken or refused. */
export async function sendWebhook(
  sent: SentWebhook[],
  secret: string,
  payment: Payment,
  outcome: 'succeeded' | 'declined',
  { forged = false, webhookId = `evt_${randomUUID()}` } = {},
): Promise<SentWebhook> {
  const type = `payment.${outcome}`;
  const { paymentId, reference, amount, currency, reason } = payment;
  const data = { paymentId, reference, amount, currency, ...(reason === null ? {} : { reason }) };
  const body = JSON.stringify({ type, timestamp: payment.at, data });
  const record: SentWebhook = { webhookId, paymentId, type, forged, answer: 'not yet', tries: 0 };
  sent.push(record);
  const key = forged ? Buffer.from('a secret that nobody agreed on').toString('base64') : secret;
  while (record.tries < MAX_TRIES) {
    record.tries += 1;
    const answer = await post(payment.callbackUrl, webhookId, key, body);
    record.answer = String(answer);
    if (typeof answer === 'number' && answer < 500) return record;
    await delay(Math.min(50 * 2 ** record.tries, LONGEST_PAUSE_MS));
  }
  return record;
}

async function post(
  url: string,
  webhookId: string,
  secret: string,
  body: string,
): Promise<number | string> {
  const at = new Date();
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': webhookId,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(webhookId, at, body),
      },
      signal: AbortSignal.timeout(5_000),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
