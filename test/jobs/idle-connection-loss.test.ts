import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import net from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { classify } from '../../jobs/classify.ts';
import { connect, type Sql } from '../../jobs/store/connect.ts';
import { inTransaction } from '../../jobs/store/transaction.ts';
import { testDatabase } from '../support/test-database.ts';

const database = await testDatabase();

/** The sockets of this process's connections, the newest last. */
const sockets: net.Socket[] = [];
subscribe('net.client.socket', (message) => {
  assert.ok(typeof message === 'object' && message !== null && 'socket' in message);
  if (message.socket instanceof net.Socket) sockets.push(message.socket);
});

/** A pool of one connection, which has been used and is idle, and the socket of that. */
async function idlePool(
  statementTimeoutMs = 10_000,
): Promise<{ readonly sql: Sql; readonly socket: net.Socket }> {
  const limits = { poolSize: 1, statementTimeoutMs, lockTimeoutMs: 5_000 };
  const sql = connect({ url: database.url, ...limits }, 'idle');
  after(() => sql.end({ timeout: 0 }));
  await sql`create table if not exists halves (half text not null)`;
  const socket = sockets.at(-1);
  assert.ok(socket);
  return { sql, socket };
}

/** The socket fails, as with a reset; `begin` is called between its error and its end. Resolves after the end. */
async function fail(socket: net.Socket, begin: () => void): Promise<void> {
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.once('error', begin);
  socket.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  await ended;
}

const isTransient = (error: unknown): boolean => classify(error).name === 'Transient';

test('a transaction that is begun on a connection which dies idle is none: nothing of it stays', async () => {
  const { sql, socket } = await idlePool();
  let changed: Promise<void> | undefined;
  await fail(socket, () => {
    changed = inTransaction(sql, async (tx) => {
      await tx`insert into halves values ('first')`;
      throw new Error('changed its mind');
    });
    changed.catch(() => undefined);
  });
  // Its connection is made again for another statement, whose greeting settles the BEGIN.
  await sql`select 1`;
  assert.ok(changed);
  await assert.rejects(changed, isTransient);
  assert.deepEqual([...(await sql`select half from halves`)], []);
});

test('a connection that died idle, when a statement was to be written, is not asked again for ever', async () => {
  const { sql, socket } = await idlePool();
  const written = Promise.withResolvers<unknown>();
  await fail(socket, () => {
    setImmediate(() => void sql`select 1`.then(written.resolve, written.reject));
  });
  await assert.rejects(async () => await sql`select 1`, isTransient);
  await assert.rejects(written.promise, isTransient);
  assert.equal((await sql`select 1`).length, 1);
});

test('a transaction that never begins ends at its deadline, and what it waited on ends with it', async () => {
  const { sql, socket } = await idlePool(100);
  let never: Promise<void> | undefined;
  await fail(socket, () => {
    never = inTransaction(sql, () => Promise.reject(new Error('it has begun')));
    never.catch(() => undefined);
  });
  assert.ok(never);
  await assert.rejects(
    never,
    (error) => isTransient(error) && /within 2200 ms/.test(String(error)),
  );
  const ended = sql.end().then(() => 'ended');
  assert.equal(await Promise.race([ended, delay(2_000, 'waits for it')]), 'ended');
});
