import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { type RunningPostgres, startPostgres } from '../../../local/postgres/start-postgres.ts';
import { findFreePort } from '../../../local/processes/free-port.ts';
import { guard } from '../../../local/processes/guard.ts';
import { isAlive } from '../../../local/processes/liveness.ts';

// mkdtemp makes it 0700: whoever PostgreSQL runs as has to get below such a directory.
const dir = mkdtempSync(join(tmpdir(), 'pawl-postgres-'));
assert.equal(statSync(dir).mode & 0o777, 0o700);
const options = {
  dataDir: join(dir, 'postgres'),
  port: await findFreePort(),
  password: 'test / password',
  logFile: join(dir, 'log'),
};
let server = await start();
after(async () => {
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function start(): Promise<RunningPostgres> {
  const started = await startPostgres(options);
  const guarded = guard(started.pid, 'INT');
  void started.ended.then(() => guarded.release());
  return started;
}

async function query(text: string): Promise<readonly postgres.Row[]> {
  const sql = postgres(server.urlOf('postgres'), { max: 1, onnotice: () => undefined });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

test('it listens on loopback only, without a socket in /tmp, and writes to disk', async () => {
  const [row] = await query(`select current_setting('listen_addresses') as addresses,
    current_setting('unix_socket_directories') as sockets, current_setting('fsync') as fsync`);
  assert.deepEqual({ ...row }, { addresses: '127.0.0.1', sockets: '', fsync: 'on' });
});

test('a password is asked for', async () => {
  const sql = postgres(server.urlOf('postgres').replace(/:[^:@]+@/, ':wrong@'), { max: 1 });
  await assert.rejects(sql`select 1`, { code: '28P01' });
  await sql.end();
});

test('what was committed is there after kill -9 of the server, on the same port', async () => {
  await query('create table kept (id int)');
  await query('insert into kept values (1)');
  process.kill(server.pid, 'SIGKILL');
  await server.ended;
  server = await start();
  assert.equal((await query('select * from kept')).length, 1);
  assert.equal(server.port, options.port);
});

test('a server that outlived its parent is taken out of the way', async () => {
  const orphan = server;
  server = await start();
  assert.ok(!isAlive(orphan.pid));
  assert.equal((await query('select * from kept')).length, 1);
});

test('open sessions do not hold up the stop', async () => {
  const sql = postgres(server.urlOf('postgres'), { max: 1 });
  await sql`select 1`;
  const startedAt = performance.now();
  await server.stop();
  assert.ok(performance.now() - startedAt < 3_000);
  await sql.end();
  server = await start();
});
