import type { Attempt, Visit } from './visits.ts';

/**
 * How a span of a passage was spent: waiting (scheduled and not started, a Wait, a token that is not answered),
 * working, an attempt that failed, backing off until the next one, or stopped until it was redriven.
 */
export type SegmentKind = 'waiting' | 'working' | 'failed' | 'backoff' | 'stopped' | 'inside';
export type Segment = { readonly kind: SegmentKind; readonly from: number; readonly to: number };

/** Pure: how the time of a passage was spent; what is open goes on until `now`. */
export function segmentsOf(visit: Visit, now: number, stoppedAt?: number): readonly Segment[] {
  const end =
    visit.exitedAt ??
    (visit.status === 'FAILED' || visit.status === 'ABORTED' ? (stoppedAt ?? now) : now);
  if (visit.type === 'Map' || visit.type === 'Parallel') {
    return [{ kind: 'inside', from: visit.enteredAt, to: end }];
  }
  if (visit.attempts.length === 0) {
    return [
      { kind: visit.type === 'Wait' ? 'waiting' : 'working', from: visit.enteredAt, to: end },
    ];
  }
  return visit.attempts.flatMap((attempt, index) => {
    const next = visit.attempts[index + 1];
    const attemptEnd = attempt.endedAt ?? next?.scheduledAt ?? end;
    const isLast = next === undefined;
    const backoffEnd = next?.scheduledAt ?? (visit.status === 'RETRYING' ? now : attemptEnd);
    return [
      ...spansOf(attempt, attemptEnd),
      ...(backoffEnd > attemptEnd && (!isLast || visit.status === 'RETRYING')
        ? [{ kind: pauseOf(next), from: attemptEnd, to: backoffEnd }]
        : []),
    ];
  });
}

/** What the time before an attempt was. */
const pauseOf = (next: Attempt | undefined): SegmentKind =>
  next?.isRedriven === true ? 'stopped' : 'backoff';

function spansOf(attempt: Attempt, end: number): Segment[] {
  const { scheduledAt, startedAt, submittedAt, outcome } = attempt;
  if (startedAt === undefined) return [{ kind: 'waiting', from: scheduledAt, to: end }];
  const hasFailed = outcome === 'FAILED' || outcome === 'TIMED_OUT';
  const handedOverAt = submittedAt ?? end;
  const spans: Segment[] = [
    { kind: 'waiting', from: scheduledAt, to: startedAt },
    {
      kind: hasFailed && submittedAt === undefined ? 'failed' : 'working',
      from: startedAt,
      to: handedOverAt,
    },
    // A callback or a .sync job: the rest of the attempt is in somebody else's hands.
    { kind: hasFailed ? 'failed' : 'waiting', from: handedOverAt, to: end },
  ];
  return spans.filter(({ from, to }) => to > from);
}

/** The sum of the spans by kind, in milliseconds. */
export function timeByKind(
  segments: readonly Segment[],
): Readonly<Partial<Record<SegmentKind, number>>> {
  const sums: Partial<Record<SegmentKind, number>> = {};
  for (const { kind, from, to } of segments) sums[kind] = (sums[kind] ?? 0) + (to - from);
  return sums;
}
