import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, test } from 'node:test';
import { postTo } from '../../local/stepfunctions/post.ts';

const seen: { url: string | undefined; socket: Socket }[] = [];
const server = createServer((request, response) => {
  seen.push({ url: request.url, socket: request.socket });
  request.resume().on('end', () => {
    if (request.url === '/silent') return;
    response.writeHead(request.url === '/refused' ? 400 : 200);
    if (request.url === '/cut') response.write('half', () => request.socket.destroy());
    else response.end('whole');
  });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
after(() => server.close().closeAllConnections());
const { port } = server.address() as AddressInfo;
const base = `http://127.0.0.1:${port}`;
const never = new AbortController().signal;
const content = { headers: {}, body: '{}', signal: never };

test('an endpoint is posted to as it is, or with a path after its own', async () => {
  seen.length = 0;
  assert.equal((await postTo(`${base}/bus/?of=a`)(content)).body, 'whole');
  await postTo(base)(content);
  await postTo(`${base}/below/`)({ ...content, path: '/f?Qualifier=1' });
  const { status } = await postTo(base)({ ...content, path: '/refused' });
  assert.equal(status, 400);
  assert.deepEqual(
    seen.map(({ url }) => url),
    ['/bus/?of=a', '/', '/below/f?Qualifier=1', '/refused'],
  );
});

test('an IPv6 address is taken for an address, and not for a name', async () => {
  // Nobody listens there, if the machine has the address at all.
  const refused = await postTo('http://[::1]:1')(content).catch((error: unknown) => error);
  assert.ok(refused instanceof Error && 'code' in refused);
  assert.match(String(refused.code), /^(ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH|EAFNOSUPPORT)$/);
});

test('half an answer is none, and an abort is told by its reason', async () => {
  seen.length = 0;
  await assert.rejects(postTo(`${base}/cut`)(content), { code: 'ECONNRESET' });
  assert.equal(seen.length, 3);
  const late = new AbortController();
  const reason = new Error('no answer within 10 s');
  const posted = postTo(`${base}/silent`)({ ...content, signal: late.signal });
  setImmediate(() => late.abort(reason));
  await assert.rejects(posted, (error) => error === reason);
});

test('what meets a connection that was closed a moment before is sent again', async () => {
  const post = postTo(base);
  await post(content);
  seen.at(-1)?.socket.resetAndDestroy();
  assert.equal((await post(content)).body, 'whole');
});
