import { useMemo } from 'react';
import { type Segment, segmentsOf, timeByKind } from '../history/segments.ts';
import { pausesOf, type TimeAxis, timeAxis } from '../history/time-axis.ts';
import type { Visit } from '../history/visits.ts';
import { count, duration } from '../parts/format.ts';
import { signOf } from '../parts/status.tsx';
import { useNow } from '../parts/use-now.ts';
import { WindowedList } from '../parts/windowed-list.tsx';
import type { History } from './use-history.ts';

const rowHeight = 26;
const kinds = [
  ['working', 'working'],
  ['failed', 'attempt that failed'],
  ['waiting', 'waiting'],
  ['backoff', 'backing off'],
  ['stopped', 'stopped until redriven'],
  ['inside', 'Parallel or Map'],
] as const;

/** When each state was passed, with waiting, working, failed attempts and backoff apart. */
export function TimelineTab({ history }: { readonly history: History }) {
  const { visits, events, executionStatus } = history;
  const isRunning = executionStatus === 'RUNNING';
  const now = useNow(isRunning ? 500 : 0);
  const stoppedAt = isRunning ? undefined : events.at(-1)?.at;
  const rows = useMemo(
    () =>
      visits.list.map((visit) => ({
        visit,
        depth: depthOf(visit),
        segments: segmentsOf(visit, stoppedAt ?? now, stoppedAt),
      })),
    [visits, stoppedAt, now],
  );
  const pauses = useMemo(() => pausesOf(events), [events]);
  const [first] = events;
  if (first === undefined || rows.length === 0) {
    return <p className="faint">{history.isLoading ? 'Loading …' : 'No state was entered.'}</p>;
  }
  const from = rows.reduce((least, { visit }) => Math.min(least, visit.enteredAt), first.at);
  const to = Math.max(from + 1, stoppedAt ?? now);
  const axis = timeAxis(from, to, pauses);
  return (
    <>
      <ul className="legend">
        {kinds.map(([kind, label]) => (
          <li key={kind}>
            <span className={`swatch segment ${kind}`} aria-hidden="true" /> {label}
          </li>
        ))}
        <li className="faint">
          {count(rows.length)} passages, {duration(to - from)}
          {axis.isShortened && ', what was stopped is drawn short'}
          {history.isLoading && ', older ones are being loaded'}
        </li>
      </ul>
      <Axis from={from} axis={axis} />
      <WindowedList
        label="Timeline"
        rowHeight={rowHeight}
        maxHeight={560}
        count={rows.length}
        row={(index) => {
          const row = rows[index];
          return row === undefined ? null : <Row {...row} axis={axis} />;
        }}
      />
    </>
  );
}

function depthOf(visit: Visit): number {
  let depth = 0;
  for (let outer = visit.parent; outer !== undefined; outer = outer.parent) depth += 1;
  return depth;
}

function Axis({ from, axis }: { readonly from: number; readonly axis: TimeAxis }) {
  return (
    <div className="axis" aria-hidden="true">
      <span className="name" />
      <span className="track">
        {[0, 0.25, 0.5, 0.75, 1].map((part) => (
          <span key={part} style={{ left: `${part * 100}%` }}>
            {duration(axis.timeAt(part) - from)}
          </span>
        ))}
      </span>
    </div>
  );
}

function Row(props: {
  readonly visit: Visit;
  readonly depth: number;
  readonly segments: readonly Segment[];
  readonly axis: TimeAxis;
}) {
  const { visit, depth, segments, axis } = props;
  const place = (at: number): number => axis.placeOf(at) * 100;
  const text = describe(visit, segments);
  return (
    <div className="gantt" title={text}>
      <span className="name" style={{ paddingLeft: depth * 12 }}>
        <span aria-hidden="true">{signOf(visit.status)}</span> {visit.state}
      </span>
      <span className="track" role="img" aria-label={text}>
        {segments.map(({ kind, from: begin, to: end }, index) => (
          <span
            key={index}
            className={`segment ${kind}`}
            style={{ left: `${place(begin)}%`, width: `max(2px, ${place(end) - place(begin)}%)` }}
          />
        ))}
      </span>
    </div>
  );
}

function describe(visit: Visit, segments: readonly Segment[]): string {
  const times = timeByKind(segments);
  const parts = kinds.flatMap(([kind, label]) => {
    const ms = times[kind];
    return ms === undefined ? [] : [`${label} ${duration(ms)}`];
  });
  return `${visit.state}: ${visit.status}${parts.length === 0 ? '' : `; ${parts.join(', ')}`}`;
}
