import { createActivityStore } from './activities.ts';
import { createEventLog } from './event-log.ts';
import { createExecutionStore } from './executions.ts';
import { createGroupCommit } from './group-commit.ts';
import { createMapRunStore } from './map-runs.ts';
import { openDatabase } from './open-database.ts';
import { createOutbox } from './outbox.ts';
import { createRedriveTokens } from './redrive-tokens.ts';
import { createMachineStore } from './state-machines.ts';
import { createTagStore } from './tags.ts';

export type Store = ReturnType<typeof openStore>;

/** All that the engine keeps, in one SQLite file. `fatal` is called when a commit fails. */
export function openStore(dataDir: string, fatal: (error: unknown) => void) {
  const db = openDatabase(dataDir);
  const commits = createGroupCommit(db, fatal);
  return {
    commits,
    log: createEventLog(db),
    executions: createExecutionStore(db),
    machines: createMachineStore(db),
    activities: createActivityStore(db),
    mapRuns: createMapRunStore(db),
    tags: createTagStore(db),
    outbox: createOutbox(db),
    redriveTokens: createRedriveTokens(db),
    close(): void {
      commits.flush();
      db.exec('pragma wal_checkpoint(truncate)');
      db.close();
    },
  };
}
