import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createOneBufferAgents } from '../../jobs/one-buffer-agents.ts';

const bodyBytes = 16 * 1024 * 1024;
/** TLS without a certificate: only how the bytes come is of interest (RFC 5246, A.5: anonymous Diffie-Hellman). */
const anonymousTls = {
  ciphers: 'ADH-AES256-GCM-SHA384:@SECLEVEL=0',
  maxVersion: 'TLSv1.2',
} as const;

/** No two bodies and no two stretches of one have the same bytes. */
function bodyOf(name: string): Buffer {
  const block = createHash('sha512').update(name).digest();
  const body = Buffer.alloc(bodyBytes, block);
  for (let at = 0; at < bodyBytes; at += 4096) body.writeUInt32BE(at, at);
  return body;
}

const bodies = new Map(['a', 'b', 'c', 'd'].map((name) => [`/${name}`, bodyOf(name)]));
const connections = new Set<unknown>();

function answer({ url = '', socket }: http.IncomingMessage, response: http.ServerResponse): void {
  connections.add(socket);
  response.end(bodies.get(url));
}

const servers = {
  'http:': http.createServer(answer),
  'https:': https.createServer({ ...anonymousTls, dhparam: 'auto' }, answer),
};
for (const server of Object.values(servers)) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
const { httpAgent, httpsAgent } = createOneBufferAgents();
after(() => {
  httpAgent.destroy();
  httpsAgent.destroy();
  for (const server of Object.values(servers)) server.close();
});

async function get(protocol: 'http:' | 'https:', path: string): Promise<http.IncomingMessage> {
  const address = servers[protocol].address();
  assert.ok(typeof address === 'object' && address !== null);
  const target = { host: '127.0.0.1', port: address.port, path };
  const request =
    protocol === 'http:'
      ? http.get({ ...target, agent: httpAgent })
      : https.get({ ...target, agent: httpsAgent, ...anonymousTls, rejectUnauthorized: false });
  const [response] = await once(request, 'response');
  assert.ok(response instanceof http.IncomingMessage);
  return response;
}

for (const protocol of ['http:', 'https:'] as const) {
  test(`${protocol} answers that are read at once, by turns and slowly, each have their own bytes`, async () => {
    await Promise.all(
      [...bodies].map(async ([path, body]) => {
        const chunks: Buffer[] = [];
        for await (const chunk of await get(protocol, path)) {
          chunks.push(chunk);
          await setImmediate(); // the others' turn
        }
        assert.ok(Buffer.concat(chunks).equals(body), `not the bytes of ${path}`);
      }),
    );
  });

  test(`${protocol} a connection serves one request after the other`, async () => {
    connections.clear();
    for (const [path, body] of bodies) {
      const read = Buffer.concat(await (await get(protocol, path)).toArray());
      assert.ok(read.equals(body), `not the bytes of ${path}`);
      await setImmediate(); // the agent has the connection back
    }
    assert.equal(connections.size, 1);
  });

  test(`${protocol} whoever does not read holds the sender up`, async () => {
    const response = await get(protocol, '/a');
    const { socket } = response;
    const before = socket.bytesRead;
    for (let turn = 0; turn < 1_000; turn += 1) await setImmediate();
    const read = socket.bytesRead - before;
    assert.ok(
      read + response.readableLength < 1024 * 1024,
      `${read} bytes were read for nobody, ${response.readableLength} wait`,
    );
    assert.equal(
      (await response.toArray()).reduce((sum, { length }) => sum + length, 0),
      bodyBytes,
    );
  });
}

test('16 MiB come in at most 128 chunks where the sender is fast: Node’s own would be 256 or more', async () => {
  let chunks = 0;
  for await (const _ of await get('http:', '/a')) chunks += 1;
  assert.ok(chunks <= 128, `${chunks} chunks`);
});
