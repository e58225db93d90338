import type { TransactionSql } from 'postgres';
import type { Sql } from './connect.ts';
import {
  AnswerLostError,
  boundBy,
  connectionLoss,
  type StatementWatch,
  withinDeadline,
} from './statement-deadline.ts';

type Pool = {
  readonly sql: Sql;
  readonly watch: Required<StatementWatch>;
  inUse: number;
  retired: boolean;
  closedConnections: number;
};

/**
 * A pool that is replaced by a fresh one as soon as a statement or transaction of it loses its connection; every
 * statement has a deadline, and every transaction twice that.
 *
 * The library (postgres 3.4.9) goes on using a connection's state after its socket has died. Of a connection that died
 * while something was still to be written, the greeting is never sent again: every use of it ends in CONNECT_TIMEOUT,
 * for good. A statement that is given to it between the socket's error and its end never settles, or by the answer to
 * another one. So nothing new goes where a connection was lost: the callers hear of the loss after the new pool is
 * there. What is under way on the other connections ends there, and then the old pool is closed.
 *
 * A BEGIN may be such a statement, settled by a greeting: what came after it would be no transaction. So `work` is not
 * begun where a connection of the pool was closed since BEGIN was given to it.
 */
export function renewable(open: (onclose: () => void) => Sql, deadlineMs: number): Sql {
  const pools = new Set<Pool>();
  let current = add();
  let ended = false;

  function add(): Pool {
    const sql = open(() => {
      pool.closedConnections += 1;
    });
    const pool: Pool = {
      sql,
      watch: {
        started: () => {
          pool.inUse += 1;
        },
        failed: (error) => {
          if (ended || pool.retired || !leavesTraces(error)) return;
          pool.retired = true;
          current = add();
        },
        settled: () => {
          pool.inUse -= 1;
          if (!pool.retired || pool.inUse > 0) return;
          pools.delete(pool);
          void pool.sql.end({ timeout: 0 });
        },
      },
      inUse: 0,
      retired: false,
      closedConnections: 0,
    };
    pools.add(pool);
    return pool;
  }

  async function begin(work: (tx: TransactionSql) => unknown): Promise<unknown> {
    const pool = current;
    const { started, failed, settled } = pool.watch;
    const { closedConnections } = pool;
    started();
    try {
      const transaction = pool.sql.begin((tx) => {
        if (pool.closedConnections > closedConnections)
          throw new AnswerLostError('a connection was lost before the transaction had begun');
        return work(tx);
      });
      return await withinDeadline(transaction, deadlineMs);
    } catch (error) {
      failed(error);
      throw error;
    } finally {
      settled();
    }
  }

  async function end(options?: { timeout?: number }): Promise<void> {
    ended = true;
    await Promise.all([...pools].map((pool) => pool.sql.end(options)));
  }

  return new Proxy(current.sql, {
    apply(_, self, args: unknown[]) {
      const pool = current;
      const query: unknown = Reflect.apply(pool.sql, self, args);
      if (query instanceof Promise) boundBy(query, deadlineMs, pool.watch);
      return query;
    },
    get(_, name) {
      if (name === 'begin') return begin;
      if (name === 'end') return end;
      return Reflect.get(current.sql, name);
    },
  });
}

/**
 * A connection that was refused has nothing to leave behind, and the library's own pause before the next try stays. Of one
 * that was made too late nobody knows: it may be the next use of one that died while nothing was asked of it.
 */
function leavesTraces(error: unknown): boolean {
  const code = connectionLoss(error);
  return code !== undefined && code !== 'ECONNREFUSED';
}
