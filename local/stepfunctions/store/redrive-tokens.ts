import type { DatabaseSync } from 'node:sqlite';

/** AWS answers the last ten tokens idempotently, each for up to 15 minutes. */
const TOKENS_KEPT = 10;
const TOKEN_LIFE_MS = 15 * 60 * 1000;

export type RedriveTokens = ReturnType<typeof createRedriveTokens>;

/**
 * The client tokens that have redriven an execution.
 * https://docs.aws.amazon.com/step-functions/latest/apireference/API_RedriveExecution.html
 */
export function createRedriveTokens(db: DatabaseSync) {
  const insert = db.prepare(
    'insert or replace into redrive_tokens (execution, token, redriven_at) values (?, ?, ?)',
  );
  const select = db.prepare(
    'select token, redriven_at from redrive_tokens where execution = ? order by redriven_at desc limit ?',
  );
  return {
    add: (execution: number, token: string, redrivenAt: number): void =>
      void insert.run(execution, token, redrivenAt),
    /** When this token redrove the execution; undefined if it did not, or too long ago. */
    redrivenAt(execution: number, token: string, now: number): number | undefined {
      const row = select.all(execution, TOKENS_KEPT).find((one) => one['token'] === token);
      const redrivenAt = row && Number(row['redriven_at']);
      return redrivenAt !== undefined && now - redrivenAt <= TOKEN_LIFE_MS ? redrivenAt : undefined;
    },
  };
}
