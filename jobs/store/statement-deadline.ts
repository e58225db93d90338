import { beginStatement } from './statement-time.ts';

/** A statement that the client gave up on. Whether the server did it is not known. */
export class StatementDeadlineError extends Error {
  override readonly name = 'StatementDeadlineError';
  readonly code = 'STATEMENT_DEADLINE';
}

/** A statement that was settled by something else than its own answer. Whether the server did it is not known. */
export class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError';
  readonly code = 'CONNECTION_CLOSED';
}

/** Hears of a statement before whoever awaits it. */
export type StatementWatch = {
  readonly started?: () => void;
  readonly failed?: (error: unknown) => void;
  readonly settled?: () => void;
};

/**
 * Puts a deadline on a statement from the moment it is awaited: on a connection that is cut at the wrong moment it may
 * otherwise never settle. Fragments are not awaited and stay as they are.
 */
export function boundBy(
  query: Promise<unknown>,
  deadlineMs: number,
  watch: StatementWatch = {},
): void {
  const settle = Reflect.get(query, 'then');
  Object.assign(query as object, boundMethods, {
    [boundOf]: new BoundStatement(settle, deadlineMs, watch),
  });
}

const boundOf = Symbol('bound statement');

type Bound = Promise<unknown> & { readonly [boundOf]: BoundStatement };

/**
 * The same three for every statement: a function written here would be one more object of each, and one that is written into an
 * assignment to a property (`query.then = () => …`) V8 puts straight into the old generation, where it and all it knows of stay
 * until the next full collection.
 */
const boundMethods: ThisType<Bound> & Pick<Promise<unknown>, 'then' | 'catch' | 'finally'> = {
  then(onDone, onFail) {
    return this[boundOf].answerTo(this).then(onDone, onFail);
  },
  catch(onFail) {
    return this[boundOf].answerTo(this).catch(onFail);
  },
  finally(onEnd) {
    return this[boundOf].answerTo(this).finally(onEnd);
  },
};

/**
 * What the library (postgres 3.4.9) keeps with a statement to send it and to describe its failure. Its own `resolve` and `reject` of a
 * statement are functions of the kind above, so a statement stays long after it is settled: then without its texts.
 */
const spent = { args: [], parameters: [], string: '', signature: '' };

class BoundStatement {
  readonly #settle: Promise<unknown>['then'];
  readonly #deadlineMs: number;
  readonly #watch: StatementWatch;
  #answer: Promise<unknown> | undefined;

  constructor(settle: Promise<unknown>['then'], deadlineMs: number, watch: StatementWatch) {
    this.#settle = settle;
    this.#deadlineMs = deadlineMs;
    this.#watch = watch;
  }

  /** Begins the statement when it is called first. */
  answerTo(query: Promise<unknown>): Promise<unknown> {
    this.#answer ??= new Promise((resolve, reject) => {
      this.#watch.started?.();
      const end = beginStatement();
      let timer: NodeJS.Timeout | undefined;
      const close = (): boolean => {
        if (timer === undefined) return false;
        clearTimeout(timer);
        timer = undefined;
        end();
        return true;
      };
      const fail = (error: unknown): void => {
        if (!close()) return;
        this.#watch.failed?.(error);
        this.#watch.settled?.();
        reject(error);
      };
      const succeed = (result: unknown): void => {
        if (!isAnswer(result))
          return fail(new AnswerLostError('the connection was lost before the answer'));
        if (!close()) return;
        Object.assign(query as object, spent);
        this.#watch.settled?.();
        resolve(result);
      };
      timer = setTimeout(() => {
        fail(
          new StatementDeadlineError(`no answer from the database within ${this.#deadlineMs} ms`),
        );
      }, this.#deadlineMs);
      void this.#settle.call(query, succeed, fail);
    });
    return this.#answer;
  }
}

/** A transaction, given up after twice the statements' deadline: BEGIN and COMMIT are not bounded by themselves. */
export async function withinDeadline<Result>(
  transaction: Promise<Result>,
  deadlineMs: number,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new StatementDeadlineError(`the transaction did not end within ${2 * deadlineMs} ms`));
    }, 2 * deadlineMs);
  });
  try {
    return await Promise.race([transaction, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Whether a statement was settled by its own answer. The library (postgres 3.4.9) settles a statement that was written
 * between a socket's error and its end by the next connection's greeting: with a result that has no command, which
 * every answer of the server has (https://www.postgresql.org/docs/current/protocol-message-formats.html, CommandComplete).
 */
const isAnswer = (result: unknown): boolean =>
  !(Array.isArray(result) && 'command' in result && result.command === null);

/**
 * The code of a lost connection, or undefined: 57P01 to 57P03 are the server's that ends the session, the others the
 * client's and the socket's.
 */
export function connectionLoss(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  const lost = /^(57P0|CONNECTION_|CONNECT_|ECONN|EPIPE|ETIMEDOUT|STATEMENT_DEADLINE)/;
  return typeof code === 'string' && lost.test(code) ? code : undefined;
}
