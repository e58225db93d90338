import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startStubProvider } from '../effects/stub-provider.ts';
import {
  putPayload,
  reportedFailure,
  seedDocumentJob,
  startTaskWorld,
} from '../tasks/task-fixture.ts';
import { runMachine } from './run-machine.ts';
import { openRun } from '../../jobs/store/open-run.ts';
import { storeDocument } from '../../jobs/store/documents.ts';

const provider = await startStubProvider();
const { deps, sql, s3 } = await startTaskWorld({ webhook: { url: provider.url } });

async function submit(documentId: string, version: number, text: string) {
  const reference = await putPayload(s3, Buffer.from(text), 'text/plain');
  return await seedDocumentJob(sql, { documentId, version }, reference);
}

const stored = async (documentId: string) => {
  const [row] = await sql`
    select version::int as version, metadata from documents where document_id = ${documentId}`;
  return { ...row };
};
const postsOf = (documentId: string) =>
  provider.posts().filter(({ key }) => key.includes(`:${documentId}:`));

test('an older version that arrives late succeeds as superseded: nothing overwritten, nobody told', async () => {
  await runMachine(deps, await submit('late', 2, 'the newer text'));
  const before = await stored('late');
  const jobId = await submit('late', 1, 'the older text, with more words');
  const { notified, result } = await runMachine(deps, jobId);
  assert.equal(notified, false);
  assert.equal(result['superseded'], true);
  const [job] = await sql`select status, result from jobs where job_id = ${jobId}`;
  assert.deepEqual([job?.['status'], job?.['result'].superseded], ['SUCCEEDED', true]);
  assert.deepEqual(await stored('late'), before);
  assert.equal(postsOf('late').length, 1);
});

test('the same version with other bytes is VERSION_CONFLICT, with the same bytes a success without a second call', async () => {
  await runMachine(deps, await submit('same', 1, 'these bytes'));
  const before = await stored('same');
  const failure = await reportedFailure(runMachine(deps, await submit('same', 1, 'other bytes')));
  assert.deepEqual(
    [failure.errorType, failure.code, failure.state],
    ['Terminal', 'VERSION_CONFLICT', 'ExtractMetadata'],
  );
  await runMachine(deps, await submit('same', 1, 'these bytes'));
  assert.deepEqual(await stored('same'), before);
  assert.equal(postsOf('same').length, 1);
});

test('the same version of another tenant is another document', async () => {
  await runMachine(deps, await submit('shared', 5, 'ours'));
  await sql`update documents set tenant_id = 'other' where document_id = 'shared'`;
  const { result } = await runMachine(deps, await submit('shared', 1, 'theirs'));
  assert.equal(result['superseded'], undefined);
});

test('of many versions written at once in any order the newest stays', async () => {
  // 7 is prime to 31: every number from 1 to 30, in no order.
  const versions = Array.from({ length: 30 }, (_, index) => ((index + 1) * 7) % 31);
  const outcomes = await Promise.all(
    versions.map(async (version) => {
      const jobId = await submit('busy', version, `version ${version}`);
      const fence = { jobId, executionName: jobId, redriveCount: 0 };
      await openRun(sql, fence, 'test');
      const sha256 = String(version).padStart(64, '0');
      return await storeDocument(sql, fence, {
        documentId: 'busy',
        version,
        sha256,
        contentType: 'text/plain',
        bytes: version,
        metadata: { version },
      });
    }),
  );
  assert.deepEqual(await stored('busy'), { version: 30, metadata: { version: 30 } });
  for (const [index, outcome] of outcomes.entries()) {
    assert.ok(
      (outcome?.version ?? 0) >= (versions[index] ?? 0),
      'each sees its own or a newer one',
    );
  }
});

test('an older pair writes no document', async () => {
  const jobId = await submit('fenced', 1, 'text');
  const old = { jobId, executionName: jobId, redriveCount: 0 };
  await openRun(sql, { ...old, redriveCount: 1 }, 'test');
  const document = {
    documentId: 'fenced',
    version: 1,
    sha256: 'a'.repeat(64),
    contentType: 'x',
    bytes: 1,
    metadata: {},
  };
  assert.equal(await storeDocument(sql, old, document), undefined);
  assert.deepEqual(await stored('fenced'), {});
});

test('a machine that runs again from the start, under a redrive, has every effect once', async () => {
  const jobId = await submit('again', 1, 'text to be indexed once');
  const first = await runMachine(deps, jobId).then(({ result }) => result);
  await sql`
    update jobs set status = 'FAILED', result = null, failure = ${sql.json({ code: 'EXECUTION_ABORTED', message: '', retryable: true, state: null })}
    where job_id = ${jobId}`;
  const second = await runMachine(deps, jobId, { redriveCount: 1 }).then(({ result }) => result);
  assert.deepEqual(second, first);
  assert.equal(postsOf('again').length, 1);
});
