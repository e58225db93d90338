import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrashPoint } from '../../jobs/crash-point.ts';
import { connect, type Sql } from '../../jobs/store/connect.ts';
import type { MailBehaviour } from '../../local/providers/mail-behaviour.ts';
import type { PaymentBehaviour } from '../../local/providers/payment-behaviour.ts';
import type { PaymentView } from '../../local/providers/payment-book.ts';
import type { SentWebhook } from '../../local/providers/payment-webhooks.ts';
import type { Mail } from '../../local/providers/smtp-session.ts';
import { startPawl } from '../support/start-pawl.ts';
import { waitFor } from '../support/wait-for.ts';

export type Settlement = {
  readonly jobId: string;
  readonly status: string;
  readonly run: number;
  readonly result: {
    readonly orderId: string;
    readonly amount: number;
    readonly paymentReference: string;
    readonly paidAt: string;
  } | null;
  readonly failure: {
    readonly code: string;
    readonly state: string;
    readonly message: string;
  } | null;
};

export type Ledger = {
  readonly requests: readonly {
    readonly path: string;
    readonly key: string;
    readonly outcome: string;
  }[];
  readonly payments: readonly PaymentView[];
  readonly taken: number;
  readonly webhooks: readonly SentWebhook[];
};

export type Item = { readonly sku: string; readonly quantity: number; readonly unitPrice: number };

export type HeldAnswer = {
  readonly callbackId: string;
  readonly jobId: string;
  readonly effectKey: string;
  readonly answer: { readonly outcome: string };
  readonly heldReason: string;
};

export const serum = (quantity: number): Item => ({
  sku: 'serum-30',
  quantity,
  unitPrice: 149_000,
});

/** All of Pawl with its payment provider and mail server, whose own records are what is believed. */
export async function openShop(env: Readonly<Record<string, string>> = {}) {
  const crashFile = join(tmpdir(), `pawl-shop-${process.pid}-${Date.now()}`);
  const pawl = await startPawl({
    env: {
      SUPERVISOR_LONGEST_BACKOFF_MS: '0',
      CRASH_POINT_FILE: crashFile,
      RECONCILE_INTERVAL_MS: '1000',
      ...env,
    },
  });
  const { databaseUrl, providers } = pawl.runtime();
  const pool = { poolSize: 2, statementTimeoutMs: 10_000, lockTimeoutMs: 5_000 };
  const sql: Sql = connect({ url: databaseUrl, ...pool }, 'shop tests');
  const at = (base: string, path: string): string => new URL(path, base).href;

  const callOnce = async (
    method: string,
    path: string,
    key: 'client' | 'operator',
    body: unknown,
  ): Promise<{ status: number; body: unknown }> => {
    const { api, keys } = pawl.runtime();
    const response = await fetch(`${api}${path}`, {
      method,
      headers: { authorization: `Bearer ${keys[key]}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(15_000),
    });
    return { status: response.status, body: await response.json() };
  };
  /** Repeated while there is no answer or a 5xx, as a client does: the API may be away, or have too much to do. */
  const call = (
    method: string,
    path: string,
    body?: unknown,
    key: 'client' | 'operator' = 'client',
  ): Promise<{ status: number; body: unknown }> =>
    waitFor(
      async () => {
        const answer = await callOnce(method, path, key, body);
        return answer.status < 500 ? answer : undefined;
      },
      20_000,
      `${method} ${path} to be answered`,
    );
  const send = async (method: string, url: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(url, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  const job = async (jobId: string): Promise<Settlement> =>
    (await call('GET', `/jobs/${jobId}`)).body as Settlement;
  const order = async (orderId: string, items: readonly Item[]): Promise<string> => {
    const input = { orderId, customerEmail: `${orderId}@example.com`, currency: 'IDR', items };
    const answer = await call('POST', '/jobs', { type: 'order-settlement', input });
    if (answer.status !== 202) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return (answer.body as Settlement).jobId;
  };
  const settled = async (jobId: string, timeoutMs = 20_000): Promise<Settlement> => {
    let last: Settlement | undefined;
    await waitFor(
      async () => {
        last = await job(jobId);
        return !['PENDING', 'RUNNING'].includes(last.status);
      },
      timeoutMs,
      `job ${jobId} to be final`,
    );
    if (last === undefined) throw new Error('no job');
    return last;
  };
  return {
    pawl,
    sql,
    call,
    job,
    order,
    settled,
    setStock: (sku: string, available: number, unitPrice: number) =>
      call('PUT', `/ops/stock/${sku}`, { available, unitPrice }, 'operator'),
    inStock: async (sku: string): Promise<number> => {
      const { body } = await call('GET', '/ops/stock', undefined, 'operator');
      const { stock } = body as { stock: { sku: string; available: number }[] };
      return stock.find((line) => line.sku === sku)?.available ?? Number.NaN;
    },
    held: async (): Promise<readonly HeldAnswer[]> =>
      (
        (await call('GET', '/ops/callbacks', undefined, 'operator')).body as {
          callbacks: HeldAnswer[];
        }
      ).callbacks,
    /** What the payment provider says it did for this order. */
    paymentsOf: async (orderId: string): Promise<readonly PaymentView[]> => {
      const { payments } = (await send('GET', at(providers.payment, '/ledger'))) as Ledger;
      return payments.filter(({ reference }) => reference.includes(`/order:${orderId}:`));
    },
    ledger: async () => (await send('GET', at(providers.payment, '/ledger'))) as Ledger,
    mailsTo: async (orderId: string): Promise<readonly Mail[]> => {
      const { mails } = (await send('GET', providers.mailbox)) as { mails: Mail[] };
      return mails.filter(({ to }) => to.includes(`${orderId}@example.com`));
    },
    /** Only those that say the order is paid. */
    confirmationsOf: async (orderId: string): Promise<readonly Mail[]> => {
      const { mails } = (await send('GET', providers.mailbox)) as { mails: Mail[] };
      return mails.filter(({ headers }) => headers['subject'] === `Your order ${orderId} is paid`);
    },
    pay: (behaviour: Partial<PaymentBehaviour>) =>
      send('PUT', at(providers.payment, '/behaviour/payments'), behaviour),
    voids: (behaviour: Partial<PaymentBehaviour>) =>
      send('PUT', at(providers.payment, '/behaviour/void'), behaviour),
    mail: (behaviour: Partial<MailBehaviour>) =>
      send('PUT', at(providers.mailbox, '/behaviour'), behaviour),
    /** Has the provider post a webhook for the order's newest payment, whatever its books say. */
    webhook: async (orderId: string, attempt: number, outcome: string, forged = false) =>
      (await send('POST', at(providers.payment, '/webhooks'), {
        reference: `${pawl.runtime().tenantId}/order:${orderId}:payment:${attempt}`,
        outcome,
        forged,
      })) as SentWebhook,
    arm: (point: CrashPoint) => {
      rmSync(`${crashFile}.${point}.fired`, { force: true });
      writeFileSync(crashFile, point);
    },
    fired: (point: CrashPoint): boolean => existsSync(`${crashFile}.${point}.fired`),
    /** With which the payment provider signs. */
    webhookSecret: String(
      Object(JSON.parse(readFileSync(join(pawl.dataDir, 'kept.json'), 'utf8')))
        .paymentWebhookSecret,
    ),
    close: async () => {
      rmSync(crashFile, { force: true });
      await sql.end({ timeout: 2 });
      await pawl.stop();
    },
    log: (name: string): string => readFileSync(join(pawl.dataDir, 'logs', `${name}.log`), 'utf8'),
  };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;
