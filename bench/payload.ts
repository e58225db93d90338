// How fast a payload is validated, beside nothing but SHA-256 of a stream of the same bytes: Node's own stream of a file on
// the same disk, hashed in the same process, without S3 or HTTP. That is the ceiling; SHA-256 of a megabyte that is in
// memory already is shown beside it. `npm run bench -- payload` (MEGABYTES=…, REPEATS=…).
import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { validatePayload } from '../jobs/payload.ts';
import { createS3Client } from '../tasks/runtime/task-deps.ts';
import { startCloud } from '../test/support/start-cloud.ts';
import { quantile, report, spread } from './support/measure.ts';

const megabytes = Number(process.env['MEGABYTES'] ?? 512);
const repeats = Number(process.env['REPEATS'] ?? 5);

const cloud = await startCloud();
const directory = mkdtempSync(join(tmpdir(), 'pawl-bench-payload-'));
const file = join(directory, 'payload');
process.env['AWS_ENDPOINT_URL_S3'] = cloud.s3Endpoint;
process.env['AWS_REGION'] = 'us-east-1';
process.env['AWS_ACCESS_KEY_ID'] = 'local';
process.env['AWS_SECRET_ACCESS_KEY'] = 'local';
const s3 = createS3Client();
const bucket = 'pawl-bench-payloads';
const key = 'payload';
try {
  const sha256 = await writeFile();
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  await s3.send(
    new PutBucketVersioningCommand({
      Bucket: bucket,
      VersioningConfiguration: { Status: 'Enabled' },
    }),
  );
  const stored = await s3.send(
    new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: createReadStream(file),
      ContentLength: megabytes * 1_000_000,
    }),
  );
  const reference = {
    bucket,
    key,
    sha256,
    size: megabytes * 1_000_000,
    ...(stored.VersionId === undefined ? {} : { versionId: stored.VersionId }),
  };
  const inMemory: number[] = [];
  const raw: number[] = [];
  const validated: number[] = [];
  let mostBytes = 0;
  const watching = setInterval(() => {
    mostBytes = Math.max(mostBytes, process.memoryUsage().rss);
  }, 20);
  await hashFile(); // warm-up
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    inMemory.push(await rate(hashMemory));
    raw.push(await rate(hashFile));
    validated.push(await rate(() => validatePayload(s3, reference, Number.MAX_SAFE_INTEGER)));
  }
  clearInterval(watching);
  report(`payload: ${megabytes} MB, ${repeats} repeats`, {
    'SHA-256 of memory, MB/s': spread(inMemory),
    'SHA-256 of a stream of the file, MB/s': spread(raw),
    'validated from S3, MB/s': spread(validated),
    'share of the ceiling': (quantile(validated, 0.5) / quantile(raw, 0.5)).toFixed(2),
    'memory of this process at most, MB': Math.round(mostBytes / 1e6),
  });
} finally {
  s3.destroy();
  await cloud.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Writes the payload, a megabyte that changes at a time; gives its SHA-256. */
async function writeFile(): Promise<string> {
  const hash = createHash('sha256');
  const megabyte = Buffer.alloc(1_000_000, 'pawl ');
  const handle = await open(file, 'w');
  for (let n = 0; n < megabytes; n += 1) {
    megabyte.writeUInt32BE(n);
    hash.update(megabyte);
    await handle.write(megabyte);
  }
  await handle.close();
  return hash.digest('hex');
}

async function hashMemory(): Promise<void> {
  const hash = createHash('sha256');
  const megabyte = Buffer.alloc(1_000_000, 'pawl ');
  for (let n = 0; n < megabytes; n += 1) hash.update(megabyte);
  hash.digest('hex');
}

async function hashFile(): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  hash.digest('hex');
}

/** MB/s of one run. */
async function rate(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return megabytes / ((performance.now() - from) / 1_000);
}
