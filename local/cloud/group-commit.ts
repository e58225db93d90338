import type { DatabaseSync } from 'node:sqlite';

type Write = {
  /** Default true. One that may be undone by a loss of power (not by the end of a process) costs no fsync. */
  readonly lasting?: boolean;
};

type Group = Required<Write> & {
  readonly committed: Promise<void>;
  readonly commit: () => void;
};

/** What makes many writes of one turn of the event loop one commit. */
export type GroupCommit = {
  /** To be called before each write: opens the transaction that ends with this turn. */
  begin(write?: Write): void;
  /** Resolves when all that was written so far is committed, and on disk where it is lasting; an answer waits for it. */
  onDisk(): Promise<void>;
  /** Commits what is open, now. */
  flush(): void;
};

/**
 * A commit costs one fsync however many rows it has, and each message of SQS is three writes (sent, received,
 * deleted). There is no timer: the first write of a turn opens a transaction, and it is committed when the turn's
 * other requests have been handled, so a lone request waits for nobody. In WAL mode SQLite syncs each commit when
 * `synchronous` is FULL, and none when it is NORMAL (https://www.sqlite.org/pragma.html#pragma_synchronous).
 *
 * A commit that fails ends the process: what is in memory would be ahead of the disk.
 */
export function createGroupCommit(db: DatabaseSync): GroupCommit {
  let open: Group | undefined;

  const begin = ({ lasting = true }: Write = {}): void => {
    // Within a transaction the setting cannot be changed any more.
    if (lasting && open?.lasting === false) open.commit();
    if (open !== undefined) return;
    db.exec(`PRAGMA synchronous = ${lasting ? 'FULL' : 'NORMAL'}; BEGIN`);
    const { promise, resolve } = Promise.withResolvers<void>();
    const group: Group = {
      lasting,
      committed: promise,
      commit: () => {
        if (open !== group) return; // flushed before
        open = undefined;
        try {
          db.exec('COMMIT');
        } catch (error) {
          // Thrown alone as well: the write that begins the next group would be answered with it, and all go on.
          setImmediate(() => {
            throw error;
          });
          throw error;
        }
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
