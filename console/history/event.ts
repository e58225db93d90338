/** An event of GetExecutionHistory, as the console reads it. */
export type HistoryEvent = {
  readonly id: number;
  readonly previousId: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly type: string;
  /** What its type says beyond that: the one member that ends in EventDetails. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly isFailure: boolean;
};

/** `raw` is one of the `events` of GET /jobs/:jobId/history. */
export function readEvent(raw: Readonly<Record<string, unknown>>): HistoryEvent {
  const { id, previousEventId, timestamp, type } = raw;
  const details = Object.entries(raw).find(([name]) => name.endsWith('EventDetails'))?.[1];
  const name = typeof type === 'string' ? type : 'Unknown';
  return {
    id: Number(id),
    previousId: Number(previousEventId ?? 0),
    at: typeof timestamp === 'string' ? Date.parse(timestamp) : 0,
    type: name,
    details: isObject(details) ? details : {},
    isFailure: /(Failed|TimedOut|Aborted)$/.test(name),
  };
}

/** A member of the details that is text. */
export function textOf(event: HistoryEvent, name: string): string | undefined {
  const value = event.details[name];
  return typeof value === 'string' ? value : undefined;
}

/** The texts that the event carries: of the data of 256 KiB that a state may take or give. */
export const payloadsOf = (event: HistoryEvent): readonly string[] =>
  ['input', 'output', 'parameters'].flatMap((name) => textOf(event, name) ?? []);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
