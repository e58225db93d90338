// What is known of a mail after it was handed to a mail server that misbehaves.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { sendBySmtp } from '../../jobs/smtp-client.ts';
import { findFreePort } from '../../local/processes/free-port.ts';
import type { Mail } from '../../local/providers/smtp-session.ts';
import { startServer } from '../support/start-server.ts';

const smtpPort = await findFreePort();
const mailPort = await findFreePort();
const at = `http://127.0.0.1:${mailPort}`;
const server = await startServer(
  'local/providers/mail.ts',
  { SMTP_PORT: String(smtpPort), MAIL_PORT: String(mailPort) },
  `${at}/health`,
);
after(() => server.end('SIGTERM'));

const mail = {
  from: 'Toko Kulit <toko@example.com>',
  to: 'ayu@example.com',
  subject: 'Pesanan 42 – lunas',
  text: 'Terima kasih!\n.a line that begins with a dot\n..two of them\n',
  messageId: '<42@example.com>',
};

const send = async (behaviour: Record<string, unknown>, timeoutMs = 5_000, port = smtpPort) => {
  await fetch(`${at}/behaviour`, {
    method: 'PUT',
    body: JSON.stringify({ ...behaviour, times: 1 }),
  });
  await fetch(`${at}/mails`, { method: 'DELETE' });
  const signal = AbortSignal.timeout(timeoutMs);
  const outcome = await sendBySmtp(`smtp://127.0.0.1:${port}`, mail, signal);
  const { mails } = (await (await fetch(`${at}/mails`)).json()) as { mails: Mail[] };
  return { kind: outcome.kind, mails };
};

test('a mail that is taken is done, and arrives as it was written', async () => {
  const { kind, mails } = await send({});
  assert.equal(kind, 'done');
  const [taken] = mails;
  assert.deepEqual(taken?.to, ['ayu@example.com']);
  assert.equal(taken?.from, 'toko@example.com');
  assert.equal(taken?.headers['message-id'], '<42@example.com>');
  assert.match(taken?.body ?? '', /\r\n\.a line that begins with a dot\r\n\.\.two of them/);
});

const outcomes = [
  ['a recipient that is asked to come back later', { answer: 'greylist' }, 'not-done', 0],
  ['a recipient that is refused', { answer: 'unknown' }, 'refused', 0],
  ['a content that is refused for now', { answer: 'fail', status: 452 }, 'not-done', 0],
  ['a content that is refused', { answer: 'fail', status: 554 }, 'refused', 0],
  ['a connection cut after the content was kept', { answer: 'drop' }, 'unknown', 1],
  ['a connection cut after the content was thrown away', { answer: 'refuse' }, 'unknown', 0],
] as const;
for (const [what, behaviour, kind, kept] of outcomes) {
  test(`${what}: ${kind}`, async () => {
    const seen = await send(behaviour);
    assert.equal(seen.kind, kind);
    assert.equal(seen.mails.length, kept);
  });
}

test('a server that does not answer in time once it has the content: unknown', async () => {
  assert.equal((await send({ delayMs: 3_000 }, 500)).kind, 'unknown');
});

test('a port where nobody listens, and one that says nothing: not done', async () => {
  assert.equal((await send({}, 2_000, await findFreePort())).kind, 'not-done');
  const mute = createServer();
  const port = await new Promise<number>((resolve) => {
    mute.listen({ host: '127.0.0.1', port: 0 }, () => {
      resolve(Number(Object(mute.address()).port));
    });
  });
  const sockets: { destroy: () => void }[] = [];
  mute.on('connection', (socket) => sockets.push(socket));
  assert.equal((await send({}, 500, port)).kind, 'not-done');
  for (const socket of sockets) socket.destroy();
  mute.close();
});
