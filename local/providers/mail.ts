// A mail server: SMTP on SMTP_PORT, its mailbox by HTTP on MAIL_PORT; loopback only, kept in memory.
//
//   GET    /mails      {mails: [{at, from, to, headers, body, raw}]}, oldest first
//   GET    /           the same as a page to read
//   DELETE /mails      forgets them
//   PUT    /behaviour  {answer?, status?, delayMs?, times?}, for the next `times` mails (default: until told otherwise)
//     answer   ok; greylist: 451 to the recipient; unknown: 550 to the recipient; fail: answers `status` to the content
//              and keeps nothing; drop: keeps the mail and cuts the connection before the answer; refuse: cuts it and
//              keeps nothing
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { readPort } from '../processes/environment.ts';
import { listen } from '../processes/listen.ts';
import { readBody } from '../processes/read-body.ts';
import { stopOnSignal } from '../processes/stop-on-signal.ts';
import { GOOD_MAIL, type MailBehaviour, parseMailBehaviour } from './mail-behaviour.ts';
import { reply } from './reply.ts';
import { type Mail, talkSmtp } from './smtp-session.ts';

const MAX_BODY_BYTES = 65_536;
const MAX_REMEMBERED = 5_000;

const mails: Mail[] = [];
let behaviour: MailBehaviour = GOOD_MAIL;
const sockets = new Set<Socket>();

const smtp = createTcpServer((socket) => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  talkSmtp(socket, { behave, keep });
});
const http = createHttpServer((request, response) => {
  route(request, response).catch((error: unknown) => {
    reply(response, 400, { error: error instanceof Error ? error.message : String(error) });
  });
});
await new Promise<void>((resolve, reject) => {
  smtp.once('error', reject);
  smtp.listen({ host: '127.0.0.1', port: readPort('SMTP_PORT') }, () => resolve());
});
await listen(http, readPort('MAIL_PORT'));
stopOnSignal(() => {
  smtp.close();
  for (const socket of sockets) socket.destroy();
  http.close();
  http.closeAllConnections();
});

function behave(): MailBehaviour {
  const now = behaviour;
  if (now.times !== null) {
    behaviour = now.times > 1 ? { ...now, times: now.times - 1 } : GOOD_MAIL;
  }
  return now;
}

function keep(mail: Mail): void {
  mails.push(mail);
  if (mails.length > MAX_REMEMBERED) mails.shift();
}

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await readBody(request, MAX_BODY_BYTES)).toString('utf8');
  switch (`${request.method} ${request.url}`) {
    case 'GET /health':
      return reply(response, 200, {});
    case 'GET /mails':
      return reply(response, 200, { mails });
    case 'DELETE /mails':
      mails.length = 0;
      return reply(response, 200, {});
    case 'PUT /behaviour':
      return reply(response, 200, (behaviour = parseMailBehaviour(body)));
    case 'GET /':
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
      return void response.end(mails.map(({ raw }) => raw).join('\n\n————\n\n') || 'No mail yet.');
    default:
      return reply(response, 404, { error: `there is no ${request.method} ${request.url}` });
  }
}
