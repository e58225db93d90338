import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { GetExecutionHistoryCommand, SFNClient } from '@aws-sdk/client-sfn';
import { startPawl } from '../support/start-pawl.ts';
import { call } from './call.ts';

const jobTypes = fileURLToPath(new URL('sized-job-types', import.meta.url));
const pawl = await startPawl({ env: { JOB_TYPE_DIRS: jobTypes } });
const dir = await mkdtemp(join(tmpdir(), 'pawl-large-'));
after(async () => {
  await pawl.stop();
  await rm(dir, { recursive: true });
});
const cli = fileURLToPath(new URL('../../cli/pawl.ts', import.meta.url));

type Ended = { readonly code: number; readonly out: string; readonly err: string };
const run = (args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const { api, keys } = pawl.runtime();
    const env = { ...process.env, PAWL_URL: api, PAWL_KEY: keys.client };
    execFile(process.execPath, [cli, ...args], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Submits `input`, as the text it is written as, and gives the job when it is final. */
async function mirrored(input: string) {
  const { api, keys } = pawl.runtime();
  const body = `{"type":"mirror","input":${input}}`;
  const accepted = await call('POST', `${api}/jobs`, { key: keys.client, body, headers: json });
  assert.equal(accepted.status, 202, accepted.text.slice(0, 300));
  const url = `${api}/jobs/${accepted.body.jobId}`;
  const job = await call('GET', url, { key: keys.client, headers: { prefer: 'wait=60' } });
  assert.equal(job.body.status, 'SUCCEEDED', job.text.slice(0, 500));
  return { jobId: job.body.jobId, seen: job.body['result'] as { sha256: string; end: string } };
}
const json = { 'content-type': 'application/json' };

/** The longest input or output of any state of a job's execution. */
async function longestState(jobId: string): Promise<number> {
  const { api, keys, endpoints } = pawl.runtime();
  const shown = await call('GET', `${api}/jobs/${jobId}/execution`, { key: keys.operator });
  const { arn } = shown.body['execution'] as { arn: string };
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const sfn = new SFNClient({ endpoint: endpoints.sfn, region: 'us-east-1', credentials });
  const { events = [] } = await sfn.send(new GetExecutionHistoryCommand({ executionArn: arn }));
  sfn.destroy();
  assert.ok(events.length > 10);
  const texts = JSON.stringify(events).match(/"(?:input|output|parameters)":"(?:[^"\\]|\\.)*"/g);
  assert.ok(texts !== null && texts.length > 10);
  return Math.max(...texts.map((text) => Buffer.byteLength(text)));
}

for (const [name, character] of Object.entries({ ASCII: 'x', 'four-byte UTF-8': '\u{1F980}' })) {
  test(`an input of any size that is taken completes, in ${name}, and no state carries it`, async () => {
    await Promise.all(
      [1, 64, 200, 255].map(async (kib) => {
        const input = JSON.stringify(character.repeat((kib * 1024) / Buffer.byteLength(character)));
        const { jobId, seen } = await mirrored(input);
        assert.equal(seen.sha256, sha256(input), `${kib} KiB`);
        assert.ok((await longestState(jobId)) <= 32 * 1024);
      }),
    );
  });
}

test('numbers reach the task digit for digit', async () => {
  for (const digits of ['9007199254740991', '-9007199254740992', '0.1', '1e-7', '123456789.125']) {
    const { seen } = await mirrored(`{"n":${digits}}`);
    assert.equal(seen.end, `{"n":${digits}}`);
  }
});

test('a file above 100 MB goes up in parts from a terminal, and its job succeeds with the hash of the whole', async () => {
  const file = join(dir, 'notes.txt');
  const mebibyte = Buffer.alloc(1024 ** 2, 'a line of a few short words, again and again\n');
  const hash = createHash('sha256');
  const handle = await open(file, 'w');
  for (let written = 0; written < 101; written += 1) {
    hash.update(mebibyte);
    await handle.write(mebibyte);
  }
  await handle.close();
  const bytes = 101 * mebibyte.length;
  const wholeSha256 = hash.digest('hex');

  const input = '{"documentId":"large","version":1}';
  const ended = await run([
    'submit',
    'document-metadata',
    '--input',
    input,
    '--file',
    file,
    '--wait',
  ]);
  assert.equal(ended.code, 0, ended.err);
  assert.match(ended.err, /^\[\.{30}\] 0\.0 of 105\.9 MB sent\n/);
  assert.match(ended.err, /\[#{30}\] 105\.9 of 105\.9 MB sent\n$/);
  assert.ok(ended.err.split('\n').length > 4, 'it is told of parts');
  assert.match(ended.out, /SUCCEEDED/);
  assert.match(ended.out, new RegExp(`"bytes": ${bytes},`));
  assert.match(ended.out, new RegExp(`"sha256": "${wholeSha256}"`));
});
