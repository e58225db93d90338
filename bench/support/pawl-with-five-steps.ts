import { fileURLToPath } from 'node:url';
import { type RunningPawl, startPawl } from '../../test/support/start-pawl.ts';
import { runMany } from './measure.ts';
import { connect, type Sql } from '../../jobs/store/connect.ts';

const jobTypes = fileURLToPath(new URL('../job-types', import.meta.url));

export type BenchedPawl = {
  readonly pawl: RunningPawl;
  readonly sql: Sql;
  /** Stops worker, engine and Lambda host where they are, or lets them go on: jobs pile up meanwhile. */
  holdWork(held: boolean): void;
  stop(): Promise<void>;
};

/** All of Pawl as `npm start` has it, with the job types five-steps and three-steps and a quiet log. */
export async function startBenchedPawl(): Promise<BenchedPawl> {
  const pawl = await startPawl({ env: { JOB_TYPE_DIRS: jobTypes, LOG_LEVEL: 'warn' } });
  const url = pawl.runtime().databaseUrl;
  const sql = connect(
    { url, poolSize: 20, statementTimeoutMs: 60_000, lockTimeoutMs: 5_000 },
    'pawl bench',
  );
  return {
    pawl,
    sql,
    holdWork(held) {
      const { worker, engine, lambda } = pawl.runtime().pids;
      for (const pid of [worker, engine, lambda]) process.kill(pid, held ? 'SIGSTOP' : 'SIGCONT');
    },
    async stop() {
      await sql.end({ timeout: 2 });
      await pawl.stop();
    },
  };
}

/** How many jobs of the type are not final yet. */
export async function countOpen(sql: Sql, type = 'five-steps'): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from jobs where type = ${type} and status in ('PENDING', 'RUNNING')`;
  return row?.count ?? 0;
}

/** The ceiling of five durable steps: five single-row commits one after the other, for `jobs` jobs, 20 in flight. */
export async function fiveCommits(sql: Sql, jobs: number): Promise<number> {
  await sql`create table if not exists bench_commits (n integer not null, step integer not null)`;
  const { totalMs } = await runMany(jobs, 20, async (n) => {
    for (let step = 1; step <= 5; step += 1)
      await sql`insert into bench_commits values (${n}, ${step})`;
  });
  return jobs / (totalMs / 1_000);
}
