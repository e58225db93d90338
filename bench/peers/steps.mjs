import { Pool } from 'pg';

/** The application's own five writes, one commit each, and when the last of a job was durable. */
export function openSteps(url) {
  const pool = new Pool({ connectionString: url, max: 20 });
  const done = new Map();
  const waiting = new Map();
  let finished = 0;
  return {
    create: () =>
      pool.query(
        'create table if not exists bench_steps (n integer not null, step integer not null)',
      ),
    commit: (n, step) => pool.query('insert into bench_steps values ($1, $2)', [n, step]),
    /** To be called after the fifth commit. */
    end: (n) => {
      finished += 1;
      done.set(n, performance.now());
      waiting.get(n)?.(performance.now());
    },
    /** When job `n` ended. */
    ended: (n) => {
      const at = done.get(n);
      return at === undefined
        ? new Promise((resolve) => waiting.set(n, resolve))
        : Promise.resolve(at);
    },
    get finished() {
      return finished;
    },
    close: () => pool.end(),
  };
}
