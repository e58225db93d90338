// Starts PostgreSQL in the directory given, says as whom it runs, and stops it.
import { join } from 'node:path';
import postgres from 'postgres';
import { startPostgres } from '../../../local/postgres/start-postgres.ts';
import { findFreePort } from '../../../local/processes/free-port.ts';

const dir = process.argv[2] ?? '';
try {
  const server = await startPostgres({
    dataDir: join(dir, 'postgres'),
    port: await findFreePort(),
    password: 'test',
    logFile: join(dir, 'log'),
  });
  const sql = postgres(server.urlOf('postgres'), { max: 1 });
  await sql`select 1`;
  await sql.end();
  server.unref(); // a process that has nothing else to do hears of its end all the same
  await server.stop();
  console.log(server.identity);
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
