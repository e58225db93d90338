import type { Socket } from 'node:net';
import { GOOD_MAIL, type MailBehaviour } from './mail-behaviour.ts';

export interface Mail {
  readonly at: string;
  readonly from: string;
  readonly to: readonly string[];
  /** By lower-case name; of several of one name the last. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly raw: string;
}

export interface Mailbox {
  /** How the mail that comes now is treated; asked once a mail. */
  readonly behave: () => MailBehaviour;
  readonly keep: (mail: Mail) => void;
}

const MAX_LINE_BYTES = 65_536;
const MAX_MAIL_BYTES = 10 * 1_048_576;

/**
 * Talks SMTP (RFC 5321) with one client, as far as sending needs: EHLO, HELO, MAIL, RCPT, DATA, RSET, NOOP, QUIT;
 * no TLS and no login. A line at a time; the content ends with a dot alone.
 */
export function talkSmtp(socket: Socket, { behave, keep }: Mailbox): void {
  let pending = '';
  let from: string | undefined;
  let to: string[] = [];
  let content: string[] | undefined;
  let contentBytes = 0;
  let behaviour: MailBehaviour = GOOD_MAIL;
  const say = (line: string): void => {
    if (socket.writable) socket.write(`${line}\r\n`);
  };
  const reset = (): void => {
    from = undefined;
    to = [];
    content = undefined;
    contentBytes = 0;
  };

  const endOfContent = (lines: string[]): void => {
    const mail = parseMail(from ?? '', to, lines.join('\r\n'));
    reset();
    if (behaviour.answer === 'fail') return say(`${behaviour.status} told to fail`);
    if (behaviour.answer === 'refuse') return void socket.destroy();
    keep(mail);
    if (behaviour.answer === 'drop') return void socket.destroy();
    setTimeout(() => say('250 2.0.0 taken'), behaviour.delayMs);
  };
  const onContent = (line: string, lines: string[]): void => {
    if (line === '.') return endOfContent(lines);
    contentBytes += line.length;
    if (contentBytes > MAX_MAIL_BYTES) return void socket.destroy();
    lines.push(line.startsWith('.') ? line.slice(1) : line);
  };
  const onCommand = (line: string): void => {
    const address = /<([^<>]*)>/.exec(line)?.[1] ?? '';
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return say('250-localhost\r\n250-8BITMIME\r\n250 SMTPUTF8');
      case 'HELO':
        return say('250 localhost');
      case 'MAIL':
        reset();
        behaviour = behave();
        from = address;
        return say('250 2.1.0 ok');
      case 'RCPT':
        if (from === undefined) return say('503 5.5.1 MAIL first');
        if (behaviour.answer === 'greylist') return say('451 4.7.1 come back later');
        if (behaviour.answer === 'unknown') return say('550 5.1.1 no such mailbox');
        to.push(address);
        return say('250 2.1.5 ok');
      case 'DATA':
        if (to.length === 0) return say('503 5.5.1 RCPT first');
        content = [];
        return say('354 go on, end with a dot alone');
      case 'RSET':
        reset();
        return say('250 2.0.0 ok');
      case 'NOOP':
        return say('250 2.0.0 ok');
      case 'QUIT':
        say('221 2.0.0 bye');
        return void socket.end();
      default:
        return say('502 5.5.2 not known here');
    }
  };

  socket.setEncoding('utf8');
  socket.on('error', () => undefined); // the client is gone; what it sent whole is kept
  socket.on('data', (chunk: string) => {
    pending += chunk;
    if (pending.length > MAX_LINE_BYTES && !pending.includes('\r\n')) return void socket.destroy();
    const lines = pending.split('\r\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      if (content === undefined) onCommand(line);
      else onContent(line, content);
    }
  });
  say('220 localhost ESMTP');
}

function parseMail(from: string, to: readonly string[], raw: string): Mail {
  const end = raw.indexOf('\r\n\r\n');
  const head = end < 0 ? raw : raw.slice(0, end);
  const unfolded = head.replaceAll(/\r\n[ \t]+/g, ' ');
  const headers = Object.fromEntries(
    unfolded.split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = end < 0 ? '' : raw.slice(end + 4);
  return { at: new Date().toISOString(), from, to, headers, body, raw };
}
