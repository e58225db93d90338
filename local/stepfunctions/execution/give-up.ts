import { HistoryLimitError, MAX_HISTORY_EVENTS, type Turn } from './turn.ts';

/** The execution cannot go on: it is full, or the engine has a defect. It fails, visibly. */
export function giveUp(turn: Turn, error: unknown): void {
  const cause =
    error instanceof HistoryLimitError
      ? `The execution reached the maximum number of history events (${MAX_HISTORY_EVENTS}).`
      : `Internal error of the engine: ${error instanceof Error ? error.message : String(error)}`;
  turn.urgent.length = 0;
  turn.emit(turn.view.root, { type: 'ExecutionFailed', error: 'States.Runtime', cause });
  if (!(error instanceof HistoryLimitError)) turn.report(error);
}
