import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const payloadBytes = 1_000_000_000;
const chunk = Buffer.alloc(1_000_000, 'x');

/** Answers every GET with a gigabyte. */
async function startGigabyte(): Promise<{ endpoint: string; close: () => void }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': payloadBytes, etag: '"e"' });
    void (async () => {
      for (let sent = 0; sent < payloadBytes; sent += chunk.length) {
        if (!response.write(chunk)) await once(response, 'drain');
      }
      response.end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
  return { endpoint: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

test('a payload of 1 GB is validated in under 200 MB of memory, 50 MB of them for its bytes', async () => {
  const { endpoint, close } = await startGigabyte();
  const hash = createHash('sha256');
  for (let at = 0; at < payloadBytes; at += chunk.length) hash.update(chunk);
  const script = fileURLToPath(new URL('validate-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, hash.digest('hex')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'AKIATEST',
      AWS_SECRET_ACCESS_KEY: 'of the tests',
    },
  });
  const output = (await child.stdout.toArray()).join('');
  close();
  const { bytes, startBytes, peakBytes } = JSON.parse(output);
  assert.equal(bytes, payloadBytes);
  const took = `took ${Math.round(peakBytes / 1e6)} MB, ${Math.round(startBytes / 1e6)} before it began`;
  assert.ok(peakBytes < 200_000_000, took);
  assert.ok(peakBytes - startBytes < 50_000_000, took);
});
