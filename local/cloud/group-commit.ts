import type { DatabaseSync } from 'node:sqlite';

/** What makes many writes of one turn of the event loop one commit. */
export type GroupCommit = {
  /** To be called before each write: opens the transaction that ends with this turn. */
  begin(): void;
  /** Resolves when all that was written so far is on disk; an answer waits for it. */
  onDisk(): Promise<void>;
  /** Commits what is open, now. */
  flush(): void;
};

/**
 * A commit costs one fsync however many rows it has, and each message of SQS is three writes (sent, received,
 * deleted). There is no timer: the first write of a turn opens a transaction, and it is committed when the turn's
 * other requests have been handled, so a lone request waits for nobody.
 *
 * A commit that fails ends the process: what is in memory would be ahead of the disk.
 */
export function createGroupCommit(db: DatabaseSync): GroupCommit {
  let open: { readonly committed: Promise<void>; readonly commit: () => void } | undefined;

  const begin = (): void => {
    if (open !== undefined) return;
    db.exec('BEGIN');
    const { promise, resolve } = Promise.withResolvers<void>();
    const group = {
      committed: promise,
      commit: () => {
        if (open !== group) return; // flushed before
        open = undefined;
        db.exec('COMMIT');
        resolve();
      },
    };
    open = group;
    setImmediate(group.commit);
  };
  return {
    begin,
    onDisk: () => open?.committed ?? Promise.resolve(),
    flush: () => open?.commit(),
  };
}
