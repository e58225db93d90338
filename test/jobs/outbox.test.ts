import assert from 'node:assert/strict';
import { test } from 'node:test';
import postgres from 'postgres';
import { requestHashOf } from '../../jobs/dispatch/dispatch-message.ts';
import { claimMessage, postponeMessage, putOffCopy } from '../../jobs/store/inbox.ts';
import { claimOutbox, recordPublished, recordPublishFailures } from '../../jobs/store/outbox.ts';
import { connectTo } from '../support/connect-test.ts';
import { testDatabase } from '../support/test-database.ts';
import { seedJob, seedOutbox } from '../support/seed-job.ts';

const database = await testDatabase();
const sql = connectTo(database.url);

const claimAll = async () => {
  const rows = [];
  for (;;) {
    const claimed = await claimOutbox(sql, 100);
    rows.push(...claimed);
    if (claimed.length < 100) return rows;
  }
};

test('rows that commit late, and in reverse, are neither waited for nor skipped', async () => {
  const sessions = Array.from({ length: 5 }, () =>
    postgres(database.url, { max: 1, fetch_types: false }),
  );
  const held = [];
  for (const session of sessions) {
    await session`begin`;
    const job = await seedJob(session as never);
    await seedOutbox(session as never, job);
    held.push(job);
  }
  for (let n = 0; n < 200; n += 1) await seedOutbox(sql, await seedJob(sql));
  const early = await claimAll();
  assert.equal(early.length, 200);
  await recordPublished(sql, early);

  for (const [index, session] of sessions.toReversed().entries()) {
    await (index === 2 ? session`rollback` : session`commit`);
    await session.end();
  }
  const late = await claimAll();
  const expected = held.filter((_, index) => index !== 2).map((job) => job.envelope.messageId);
  assert.deepEqual(late.map((row) => row.messageId).sort(), expected.sort());
  await recordPublished(sql, late);
  assert.equal((await claimAll()).length, 0);
});

test('two sweepers never hold the same row', async () => {
  const wanted = new Set<string>();
  for (let n = 0; n < 60; n += 1) {
    const job = await seedJob(sql);
    await seedOutbox(sql, job);
    wanted.add(job.envelope.messageId);
  }
  const claims = (await Promise.all(Array.from({ length: 6 }, () => claimOutbox(sql, 20)))).flat();
  assert.equal(claims.length, 60);
  assert.deepEqual(new Set(claims.map((row) => row.messageId)), wanted);
});

test('a claimed row that nobody records is due again after its lease', async () => {
  const job = await seedJob(sql);
  await seedOutbox(sql, job);
  const [first] = (await claimAll()).filter((row) => row.messageId === job.envelope.messageId);
  assert.equal(first?.attempts, 1);
  assert.equal((await claimAll()).length, 0);
  await sql`update outbox set next_attempt_at = now() where message_id = ${job.envelope.messageId}`;
  const [second] = await claimAll();
  assert.deepEqual([second?.messageId, second?.attempts], [job.envelope.messageId, 2]);
});

test('a row that SQS did not take keeps its error and waits its backoff', async () => {
  const job = await seedJob(sql);
  await seedOutbox(sql, job);
  const { messageId } = job.envelope;
  await claimAll();
  await recordPublishFailures(sql, [
    { messageId, attempts: 1, error: 'OverLimit: too much', retryInMs: 30_000 },
  ]);
  const [row] = await sql`
    select last_error, published_at, next_attempt_at > now() + interval '20 seconds' as later from outbox
    where message_id = ${messageId}`;
  assert.deepEqual(
    { ...row },
    { last_error: 'OverLimit: too much', published_at: null, later: true },
  );
});

test('a message that was put off before its sending was recorded stays to be sent', async () => {
  for (const putOff of ['postponed', 'copied'] as const) {
    const job = await seedJob(sql);
    await seedOutbox(sql, job);
    const sent = await claimAll();
    const hash = requestHashOf(job.envelope);
    const answer = await claimMessage(sql, job.envelope, hash);
    assert.ok(answer.kind === 'claimed');
    const failure = { code: 'AWS_UNAVAILABLE', message: '503', retryInMs: 30_000 } as const;
    if (putOff === 'copied') await putOffCopy(sql, job.envelope, 30);
    else assert.ok(await postponeMessage(sql, answer.claim, job.envelope, failure));
    await recordPublished(sql, sent);
    await recordPublishFailures(
      sql,
      sent.map((row) => ({ ...row, error: 'timeout', retryInMs: 0 })),
    );
    const [row] = await sql`
      select published_at, next_attempt_at > now() + interval '20 seconds' as later from outbox
      where message_id = ${job.envelope.messageId}`;
    assert.deepEqual({ ...row }, { published_at: null, later: true }, putOff);
  }
});
