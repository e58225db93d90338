import type { DatabaseSync } from 'node:sqlite';

/** A full batch holds the event loop for about 5 ms; the rest waits for the next turn of the loop. */
const MAX_WRITES_PER_COMMIT = 500;

type Pending = { write: () => void; committed: () => void };

export type GroupCommit = {
  /**
   * Adds a write to the next transaction. `write` runs inside it; `committed` after its fsync, in
   * the order of the calls. What a caller does in `committed` is therefore safe on disk.
   */
  add(write: () => void, committed: () => void): void;
  /** Runs `work` in a transaction of its own, at once; if it throws, nothing of it stays. */
  atomically<T>(work: () => T): T;
  /** Commits what is still waiting. */
  flush(): void;
};

/**
 * One fsync for whatever has come in during the present turn of the event loop. There is no timer:
 * a single writer is committed at once (setImmediate), many writers share a commit because they
 * arrive while the previous one holds the loop.
 *
 * A commit that fails (disk full, I/O error) is fatal: `fatal` must end the process, because
 * memory is then ahead of the disk.
 */
export function createGroupCommit(db: DatabaseSync, fatal: (error: unknown) => void): GroupCommit {
  const begin = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  let pending: Pending[] = [];
  let scheduled = false;
  let failed = false;

  function schedule(): void {
    if (scheduled || pending.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      flushBatch();
    });
  }

  function flushBatch(): void {
    if (failed || pending.length === 0) return;
    const batch = pending.slice(0, MAX_WRITES_PER_COMMIT);
    pending = pending.length > batch.length ? pending.slice(batch.length) : [];
    try {
      begin.run();
      for (const { write } of batch) write();
      commit.run();
    } catch (error) {
      failed = true;
      fatal(error);
      return;
    }
    for (const { committed } of batch) committed();
    schedule();
  }

  return {
    add(write, committed) {
      pending.push({ write, committed });
      schedule();
    },
    atomically(work) {
      begin.run();
      let result;
      try {
        result = work();
      } catch (error) {
        db.exec('rollback');
        throw error;
      }
      try {
        commit.run();
      } catch (error) {
        failed = true;
        fatal(error);
        throw error;
      }
      return result;
    },
    flush() {
      while (!failed && pending.length > 0) flushBatch();
    },
  };
}
