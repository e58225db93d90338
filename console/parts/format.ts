/** 1,234: every number of the console that counts something, a bigint to its last digit. */
export const count = (value: number | bigint): string => value.toLocaleString('en-US');

/** 1,234.50/s */
export const rate = (perSecond: number): string =>
  `${perSecond.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}/s`;

/** As short as it stays exact enough: 12 ms, 3.4 s, 5 min 6 s, 2 h 3 min, 4 d 5 h. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const parts: readonly [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${count(value)} ${unit}`)
    .join(' ');
}

/** 512 B, 1.5 KiB, 3.0 MiB */
export function bytes(exact: number | bigint): string {
  const value = Number(exact);
  if (value < 1024) return `${count(value)} B`;
  const power = Math.min(4, Math.floor(Math.log2(value) / 10));
  const short = (value / 1024 ** power).toLocaleString('en-US', oneDigit);
  return `${short} ${['', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`;
}

const oneDigit = { minimumFractionDigits: 1, maximumFractionDigits: 1 };

export const utf8Length = (text: string): number => new TextEncoder().encode(text).length;

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const day = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });

/** 14:03:02.123, with the day before it where it is not today; in the reader's own time zone. */
export function clockTime(at: Date): string {
  const on = day.format(at);
  return on === day.format(new Date()) ? clock.format(at) : `${on} ${clock.format(at)}`;
}

export const dayAndTime = (at: Date): string => `${day.format(at)} ${clock.format(at)}`;

/** just now, 12 s ago, 5 min ago; in 3 min where it lies ahead. */
export function ago(at: Date, now: number): string {
  const ms = now - at.getTime();
  const rough = (value: number): string =>
    duration(value).split(' ').slice(0, 2).join(' ').replace(/\.\d/, '');
  if (ms < -1_000) return `in ${rough(-ms)}`;
  return ms < 1_000 ? 'just now' : `${rough(ms)} ago`;
}
