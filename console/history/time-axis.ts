import type { HistoryEvent } from './event.ts';

type Span = { readonly from: number; readonly to: number };

/** Where times stand on a line from 0 to 1, and back. Epoch milliseconds. */
export type TimeAxis = {
  readonly placeOf: (at: number) => number;
  readonly timeAt: (place: number) => number;
  /** Some pause is drawn shorter than it was. */
  readonly isShortened: boolean;
};

/** Pure: when the execution had ended and was not redriven yet. The events are oldest first. */
export function pausesOf(events: readonly HistoryEvent[]): readonly Span[] {
  let endedAt: number | undefined;
  const pauses: Span[] = [];
  for (const { type, at } of events) {
    if (/^Execution(Failed|Aborted|TimedOut)$/.test(type)) endedAt = at;
    if (type !== 'ExecutionRedriven' || endedAt === undefined) continue;
    pauses.push({ from: endedAt, to: at });
    endedAt = undefined;
  }
  return pauses;
}

/** Of the time that is not a pause: no pause is drawn longer, or a night would leave no room for the work. */
const longestPause = 0.1;

/** Pure: the axis from `from` to `to`, in proportion except for long pauses. */
export function timeAxis(from: number, to: number, pauses: readonly Span[]): TimeAxis {
  const paused = pauses.reduce((sum, pause) => sum + pause.to - pause.from, 0);
  const most = Math.max(1, to - from - paused) * longestPause;
  // The line's corners: a time, and how far from the beginning it is drawn.
  const corners = [{ at: from, drawn: 0 }];
  const goTo = (at: number, mostDrawn: number): void => {
    const { at: before, drawn } = corners.at(-1) ?? { at: from, drawn: 0 };
    corners.push({ at, drawn: drawn + Math.min(at - before, mostDrawn) });
  };
  for (const pause of pauses) {
    goTo(pause.from, Infinity);
    goTo(pause.to, most);
  }
  goTo(to, Infinity);
  const length = Math.max(1, corners.at(-1)?.drawn ?? 1);
  return {
    placeOf: (at) => along(corners, 'at', 'drawn', at) / length,
    timeAt: (place) => along(corners, 'drawn', 'at', place * length),
    isShortened: length < to - from,
  };
}

type Corner = { readonly at: number; readonly drawn: number };

function along(
  corners: readonly Corner[],
  known: keyof Corner,
  wanted: keyof Corner,
  value: number,
) {
  const next = corners.findIndex((corner, index) => index > 0 && corner[known] >= value);
  const end = corners[next === -1 ? corners.length - 1 : next];
  const start = corners[(next === -1 ? corners.length - 1 : next) - 1];
  if (start === undefined || end === undefined) return 0;
  const whole = end[known] - start[known];
  const part = whole === 0 ? 0 : (value - start[known]) / whole;
  return start[wanted] + Math.min(1, Math.max(0, part)) * (end[wanted] - start[wanted]);
}
