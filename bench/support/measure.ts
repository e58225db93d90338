import { performance } from 'node:perf_hooks';

/** Runs `work(0…count-1)`, `inFlight` at a time; milliseconds of each and of all. */
export async function runMany(
  count: number,
  inFlight: number,
  work: (index: number) => Promise<unknown>,
): Promise<{ readonly totalMs: number; readonly eachMs: readonly number[] }> {
  const eachMs: number[] = [];
  let next = 0;
  const began = performance.now();
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      const start = performance.now();
      await work(index);
      eachMs.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { totalMs: performance.now() - began, eachMs };
}

/** The value below which `share` (0 to 1) of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Median with its spread, as `1,234 (1,200–1,300)`. */
export const spread = (values: readonly number[], digits = 0): string => {
  const show = (value: number): string =>
    value.toLocaleString('en', { maximumFractionDigits: digits });
  return `${show(quantile(values, 0.5))} (${show(Math.min(...values))}–${show(Math.max(...values))})`;
};

/** Prints rows for people, or one JSON object with --json. */
export function report(title: string, rows: Readonly<Record<string, string | number>>): void {
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ title, ...rows }));
    return;
  }
  console.log(`\n${title}`);
  const width = Math.max(...Object.keys(rows).map((name) => name.length));
  for (const [name, value] of Object.entries(rows))
    console.log(`  ${name.padEnd(width)}  ${value}`);
}
