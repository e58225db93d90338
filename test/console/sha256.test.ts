import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Sha256 } from '../../client/sha256.ts';
import { hashPayload } from '../../client/upload-parts.ts';

const expected = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('bytes that come in pieces of any sizes have the hash that they have as a whole', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 150 }), { maxLength: 12 }), (pieces) => {
      const hash = new Sha256();
      for (const piece of pieces) hash.update(piece);
      assert.equal(hash.digest(), expected(Buffer.concat(pieces)));
    }),
    { numRuns: 300 },
  );
});

test('a payload is read a part at a time, and what is hashed is told as it goes', async () => {
  const bytes = randomBytes(40 * 1024 ** 2 + 5);
  const blob = new Blob([bytes]);
  const told: number[] = [];
  const hashes = await hashPayload(blob, { onHashed: (count) => told.push(count) });
  assert.deepEqual(hashes, { sha256: expected(bytes) });
  assert.deepEqual(told, [16 * 1024 ** 2, 32 * 1024 ** 2, bytes.length]);
});

test('above 100 MB each part has its hash too, beside that of the whole', async () => {
  const bytes = randomBytes(101 * 1000 ** 2);
  const { sha256, partSize = 0, partSha256 = [] } = await hashPayload(new Blob([bytes]));
  assert.equal(sha256, expected(bytes));
  assert.deepEqual(
    partSha256,
    Array.from({ length: Math.ceil(bytes.length / partSize) }, (_, part) =>
      expected(bytes.subarray(part * partSize, (part + 1) * partSize)),
    ),
  );
  const known = await hashPayload(new Blob([bytes]), { sha256: 'known' });
  assert.deepEqual(known, { sha256: 'known', partSize, partSha256 });
});
