import { guard } from '../processes/guard.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import type { Service } from './service.ts';

export interface PostgresServiceOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly password: string;
  readonly logFile: string;
}

/** PostgreSQL, which speaks another language of signals than our own processes. */
export function postgresService(options: PostgresServiceOptions): Service {
  return {
    name: 'postgres',
    start: async () => {
      const postgres = await startPostgres(options);
      const guarded = guard(postgres.pid, 'INT');
      void postgres.ended.then(() => guarded.release());
      return {
        pid: postgres.pid,
        ended: postgres.ended.then(() => `its log is ${options.logFile}`),
        stop: (graceMs) => postgres.stop(graceMs),
      };
    },
  };
}
