import { readSince, rotate, sizeOf } from './log-files.ts';

const INTERVAL_MS = 1_000;
/** The same error of the same process is shown once in this time; the others are counted. */
const QUIET_MS = 30_000;
/** pino's number for `error`. */
const ERROR_LEVEL = 50;

/** Shows the errors in the processes' logs, one line a kind, and keeps the logs bounded. */
export function watchLogs(
  files: ReadonlyMap<string, string>,
  say: (line: string) => void,
): { stop(): void } {
  const positions = new Map([...files].map(([name, file]) => [name, sizeOf(file)]));
  const shown = new Map<string, { at: number; more: number }>();
  const timer = setInterval(() => {
    for (const [name, file] of files) {
      const { text, end } = readSince(file, positions.get(name) ?? 0);
      const linesEnd = text.lastIndexOf('\n') + 1;
      for (const message of errorsIn(text.slice(0, linesEnd)))
        show(shown, name, file, message, say);
      // A last line that is not complete yet is read again.
      positions.set(name, rotate(file) ? 0 : end - Buffer.byteLength(text.slice(linesEnd)));
    }
  }, INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function errorsIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{"level":')) return [];
    const entry = parse(line);
    return entry && Number(entry['level']) >= ERROR_LEVEL ? [summary(entry)] : [];
  });
}

function summary(entry: Readonly<Record<string, unknown>>): string {
  const error = entry['err'];
  const cause = isRecord(error) && typeof error['message'] === 'string' ? error['message'] : '';
  const message = typeof entry['msg'] === 'string' ? entry['msg'] : 'error';
  return cause === '' || cause === message ? message : `${message}: ${cause}`;
}

function show(
  shown: Map<string, { at: number; more: number }>,
  name: string,
  file: string,
  message: string,
  say: (line: string) => void,
): void {
  const kind = `${name} ${message}`;
  const last = shown.get(kind);
  if (last && Date.now() - last.at < QUIET_MS) {
    last.more += 1;
    return;
  }
  const repeated = last && last.more > 0 ? ` (and ${last.more} times since the last line)` : '';
  say(`${name}: ${message.split('\n')[0]}${repeated}; see ${file}`);
  shown.set(kind, { at: Date.now(), more: 0 });
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // not a line of pino's
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
