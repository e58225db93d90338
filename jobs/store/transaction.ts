import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TransactionSql } from 'postgres';
import { deadlineOf, type Sql } from './connect.ts';
import { boundBy, connectionLoss } from './statement-deadline.ts';

/** The transaction's connection; the same tagged template as the pool. */
export type Transaction = Sql;

/**
 * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. The only place that may
 * call `sql.begin` (docs/decisions/one-statement.md): for what has to hold a lock between two snapshots.
 *
 * An error of the commit itself is an unknown outcome: retry only what is idempotent.
 *
 * The library (postgres 3.4.9) crashes the process or wedges the connection when a backend dies inside `begin` and
 * another statement, or its own ROLLBACK, is still written. So after the first sign of a dead connection no statement
 * is sent, and the library never learns that `work` failed: the closing connection rejects `begin` by itself.
 */
export async function inTransaction<Result>(
  sql: Sql,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const deadlineMs = deadlineOf(sql);
  const connection: Connection = { lost: undefined };
  const begun = sql.begin(async (raw) => {
    try {
      return { result: await work(guarded(raw, connection, deadlineMs)) };
    } catch (error) {
      await nextTurn();
      if (connection.lost !== undefined) return await neverSettles();
      throw error;
    }
  });
  begun.catch((error: unknown) => {
    connection.lost ??= error;
  });
  const { result } = await begun;
  return result;
}

type Connection = { lost: unknown };

const neverSettles = (): Promise<never> => new Promise<never>(() => undefined);

/** Like the pool's own statements, each with a deadline; none is sent on a connection that is known to be lost. */
function guarded(raw: TransactionSql, connection: Connection, deadlineMs: number): Transaction {
  const proxy: unknown = new Proxy(raw, {
    apply(target, self, args: unknown[]) {
      if (connection.lost !== undefined) throw connection.lost;
      const query: unknown = Reflect.apply(target, self, args);
      if (query instanceof Promise) {
        boundBy(query, deadlineMs, {
          failed(error) {
            if (connectionLoss(error) !== undefined) connection.lost ??= error;
          },
        });
      }
      return query;
    },
  });
  return proxy as Transaction;
}
