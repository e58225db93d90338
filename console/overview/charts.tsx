import type { Answer } from '../api/call.ts';
import { count } from '../parts/format.ts';
import { Link } from '../parts/location.tsx';

type Arrows = Answer<'getOverview'>['arrows'];
type Series = { readonly name: string; readonly tone: string; readonly values: readonly number[] };

const width = 600;
const height = 130;

/** Accepted, succeeded and failed per span. */
export function ArrowsChart({
  arrows,
  hours,
}: {
  readonly arrows: Arrows;
  readonly hours: number;
}) {
  const starts = spanStarts(arrows, hours);
  const series = [
    { name: 'accepted', status: 'PENDING', tone: 'wait' },
    { name: 'succeeded', status: 'SUCCEEDED', tone: 'good' },
    { name: 'failed', status: 'FAILED', tone: 'bad' },
  ].map(({ name, status, tone }) => ({
    name,
    tone,
    values: valuesOf(arrows, starts, (span) => span.status === status),
  }));
  return <Lines series={series} starts={starts} minutes={arrows.minutes} />;
}

const shownCodes = 6;

/** Failures per span, stacked by code; with a list that leads to the jobs. */
export function FailuresChart({
  arrows,
  hours,
}: {
  readonly arrows: Arrows;
  readonly hours: number;
}) {
  const starts = spanStarts(arrows, hours);
  const failures = arrows.spans.filter(({ status }) => status === 'FAILED');
  const totals = new Map<string, number>();
  for (const { code, count: many } of failures) {
    totals.set(code ?? '?', (totals.get(code ?? '?') ?? 0) + many);
  }
  const codes = [...totals].sort(([, left], [, right]) => right - left);
  if (codes.length === 0) return <p className="faint">No job failed in this range.</p>;
  const series = codes.slice(0, shownCodes).map(([code], index) => ({
    name: code,
    tone: `hue-${index}`,
    values: valuesOf(
      arrows,
      starts,
      (span) => span.status === 'FAILED' && (span.code ?? '?') === code,
    ),
  }));
  return (
    <>
      <Bars series={series} starts={starts} minutes={arrows.minutes} />
      <ul className="legend">
        {codes.map(([code, total], index) => (
          <li key={code}>
            <span
              className={`swatch hue-${index < shownCodes ? index : 'rest'}`}
              aria-hidden="true"
            />
            <Link to={`/jobs?${new URLSearchParams({ status: 'FAILED', failureCode: code })}`}>
              {code}
            </Link>{' '}
            {count(total)}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The begin of each span from then until now, epoch milliseconds; those in which nothing happened too. */
function spanStarts({ minutes }: Arrows, hours: number): number[] {
  const span = minutes * 60_000;
  const last = Math.floor(Date.now() / span) * span;
  const many = Math.ceil((hours * 60) / minutes) + 1;
  return Array.from({ length: many }, (_, index) => last - (many - 1 - index) * span);
}

function valuesOf(
  arrows: Arrows,
  starts: readonly number[],
  isMeant: (span: Arrows['spans'][number]) => boolean,
): number[] {
  const sums = new Map<number, number>();
  for (const span of arrows.spans.filter(isMeant)) {
    const at = Date.parse(span.at);
    sums.set(at, (sums.get(at) ?? 0) + span.count);
  }
  return starts.map((start) => sums.get(start) ?? 0);
}

type ChartProps = {
  readonly series: readonly Series[];
  readonly starts: readonly number[];
  readonly minutes: number;
};

function Lines({ series, starts, minutes }: ChartProps) {
  const most = Math.max(1, ...series.flatMap(({ values }) => values));
  const x = (index: number): number => (index / Math.max(1, starts.length - 1)) * width;
  const y = (value: number): number => height - (value / most) * height;
  return (
    <>
      <Frame most={most} starts={starts} label={describe(series, minutes)}>
        {series.map(({ name, tone, values }) => (
          <polyline
            key={name}
            className={`line ${tone}`}
            points={values.map((value, index) => `${x(index)},${y(value)}`).join(' ')}
          />
        ))}
      </Frame>
      <ul className="legend">
        {series.map(({ name, tone, values }) => (
          <li key={name}>
            <span className={`swatch ${tone}`} aria-hidden="true" /> {name}{' '}
            {count(values.reduce((sum, value) => sum + value, 0))}
          </li>
        ))}
      </ul>
    </>
  );
}

function Bars({ series, starts, minutes }: ChartProps) {
  const sums = starts.map((_, index) =>
    series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  );
  const most = Math.max(1, ...sums);
  const step = width / starts.length;
  const bars = starts.flatMap((_, index) => {
    let base = 0;
    return series.flatMap(({ name, tone, values }) => {
      const value = values[index] ?? 0;
      if (value === 0) return [];
      const barHeight = (value / most) * height;
      base += barHeight;
      return [
        <rect
          key={`${name} ${index}`}
          className={`bar-of ${tone}`}
          x={index * step + 1}
          width={Math.max(1, step - 2)}
          y={height - base}
          height={barHeight}
        >
          <title>{`${name}: ${count(value)}`}</title>
        </rect>,
      ];
    });
  });
  return (
    <Frame most={most} starts={starts} label={describe(series, minutes)}>
      {bars}
    </Frame>
  );
}

const describe = (series: readonly Series[], minutes: number): string =>
  `${series
    .map(({ name, values }) => `${name} ${count(values.reduce((sum, value) => sum + value, 0))}`)
    .join(', ')}; in spans of ${count(minutes)} minutes`;

const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayHour = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

function Frame(props: {
  readonly most: number;
  readonly starts: readonly number[];
  readonly label: string;
  readonly children: React.ReactNode;
}) {
  const { most, starts, label, children } = props;
  const [first = 0] = starts;
  const last = starts.at(-1) ?? 0;
  const format = last - first > 86_400_000 * 1.5 ? dayHour : hour;
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return (
    <svg
      className="chart"
      viewBox={`-34 -10 ${width + 44} ${height + 34}`}
      role="img"
      aria-label={label}
    >
      {[0, 0.5, 1].map((part) => (
        <g key={part}>
          <line
            className="rule"
            x1={0}
            x2={width}
            y1={height * (1 - part)}
            y2={height * (1 - part)}
          />
          {(part !== 0.5 || most > 1) && (
            <text x={-6} y={height * (1 - part) + 4} textAnchor="end">
              {count(Math.round(most * part))}
            </text>
          )}
        </g>
      ))}
      {children}
      {ticks.map((part) => (
        <text
          key={part}
          x={width * part}
          y={height + 18}
          textAnchor={part === 0 ? 'start' : part === 1 ? 'end' : 'middle'}
        >
          {format.format(first + (last - first) * part)}
        </text>
      ))}
    </svg>
  );
}
