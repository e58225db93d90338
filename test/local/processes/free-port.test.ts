import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { findFreePort, isListening } from '../../../local/processes/free-port.ts';

test('whoever asks whether a port is listened on is never in the way of who wants to listen there', async () => {
  const port = await findFreePort();
  let asked = 0;
  const over = new AbortController();
  const ask = async (): Promise<void> => {
    for (; !over.signal.aborted; asked += 1) await isListening(port);
  };
  const askers = [ask(), ask(), ask()];
  for (let round = 0; round < 50; round += 1) {
    const server = createServer((socket) => socket.destroy());
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening'); // rejects with EADDRINUSE where an asker has the port
    assert.equal(await isListening(port), true);
    server.close();
    await once(server, 'close');
    assert.equal(await isListening(port), false);
    await nextTurn();
  }
  over.abort();
  await Promise.all(askers);
  assert.ok(asked > 50, `asked ${asked} times`);
});

test('ports that are looked for at the same time are different ones', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => findFreePort()));
  assert.equal(new Set(ports).size, 50);
});
