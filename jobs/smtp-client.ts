// The only way to a mail server; it is called by jobs/mail-effect.ts, through the effect log, and by nobody else.
import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { CallOutcome } from './effect-decisions.ts';
import { storableText } from './failure.ts';

export type Mail = {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** With its angle brackets; the same whenever this mail is sent again. */
  readonly messageId: string;
};

/**
 * Sends one mail on a connection of its own, and says what is known of it: not done until the server has let us
 * begin with the content (RFC 5321, section 4.1.1.4), unknown from then until its reply.
 */
export async function sendBySmtp(
  smtpUrl: string,
  mail: Mail,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const content = await new MailComposer({ ...mail, date: new Date() }).compile().build();
  const server = new URL(smtpUrl);
  const connection = new SMTPConnection({
    host: server.hostname.replaceAll(/^\[|\]$/g, ''),
    port: Number(server.port || (server.protocol === 'smtps:' ? 465 : 587)),
    secure: server.protocol === 'smtps:',
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 10_000,
  });
  const progress = { contentSent: false };
  const abort = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('no answer in time')), { once: true });
  });
  try {
    const delivery = deliver(connection, server, mail, content, progress);
    const response = await Promise.race([delivery, abort]);
    connection.quit();
    return {
      kind: 'done',
      completion: { reference: mail.messageId, response: { status: 250, body: response } },
    };
  } catch (error) {
    connection.close();
    return setback(error, progress.contentSent);
  }
}

async function deliver(
  connection: SMTPConnection,
  server: URL,
  mail: Mail,
  content: Buffer,
  progress: { contentSent: boolean },
): Promise<string> {
  const failed = new Promise<never>((_, reject) => {
    connection.on('error', reject);
    connection.once('end', () => reject(new Error('the server closed the connection')));
  });
  const step = <Result>(run: (done: (error: unknown, result: Result) => void) => void) =>
    Promise.race([
      failed,
      new Promise<Result>((resolve, reject) => {
        run((error, result) => (error == null ? resolve(result) : reject(error)));
      }),
    ]);
  await step<void>((done) => connection.connect((error) => done(error, undefined)));
  if (server.username !== '') {
    const user = decodeURIComponent(server.username);
    const pass = decodeURIComponent(server.password);
    await step<void>((done) => connection.login({ user, pass }, (error) => done(error, undefined)));
  }
  // Read for the first time when the server has answered DATA with 354.
  const stream = new Readable({
    read() {
      progress.contentSent = true;
      this.push(content);
      this.push(null);
    },
  });
  const envelope = { from: addressOf(mail.from), to: [addressOf(mail.to)] };
  const info = await step<{ response: string }>((done) =>
    connection.send(envelope, stream, (error, sent) => done(error, sent ?? { response: '' })),
  );
  return storableText(info.response, 1024);
}

/** `Shop <shop@example.com>` → `shop@example.com`. */
const addressOf = (written: string): string => /<([^<>]+)>/.exec(written)?.[1] ?? written.trim();

function setback(error: unknown, contentSent: boolean): CallOutcome {
  const message = error instanceof Error ? error.message : String(error);
  const status: unknown = Object(error).responseCode;
  if (typeof status === 'number' && status >= 500) {
    return { kind: 'refused', message, response: { status, body: storableText(message, 1024) } };
  }
  if (typeof status === 'number' && status >= 400) return { kind: 'not-done', message };
  return { kind: contentSent ? 'unknown' : 'not-done', message };
}
