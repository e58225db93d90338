import type { OutboxRow } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';

/** Sends entries to EventBridge; rejects, or names those that failed, if they are to be sent again. */
export type PutEvents = (entries: readonly object[]) => Promise<{ failed: readonly number[] }>;

/** PutEvents takes at most ten entries, and 1 MiB of them together. */
const BATCH = 10;
const MAX_BATCH_BYTES = 1_000_000;
const RETRY_MS = 500;
/**
 * A change of status waits this long for others, that they go in one call; EventBridge itself promises no time. One that
 * somebody acts on (a run that ended badly: its job is still RUNNING) waits a tenth of it.
 */
const GATHER_MS = 250;
const URGENT_GATHER_MS = 25;
const MAX_RETRY_MS = 30_000;

/**
 * Empties the outbox into EventBridge, oldest first, and keeps trying. An event is removed only
 * after it was acknowledged: it may be delivered twice, never not at all.
 */
export function createStatusPublisher(
  store: Store,
  putEvents: PutEvents,
  report: (error: unknown) => void,
) {
  let running = false;
  let again = false;
  let urgent = false;
  let stopped = false;
  let failures = 0;
  let gathering: { readonly timer: NodeJS.Timeout; readonly urgent: boolean } | undefined;
  let retry: NodeJS.Timeout | undefined;

  async function drain(): Promise<void> {
    for (;;) {
      const oldest = store.outbox.oldest(BATCH);
      const rows = fitting(oldest);
      if (rows.length === 0 || stopped) return;
      const entries = rows.map(({ event }): object => JSON.parse(event));
      const { failed } = await putEvents(entries);
      if (stopped) return;
      const sent = rows.filter((_row, index) => !failed.includes(index)).map(({ id }) => id);
      // In the next group commit: one more fsync per request would slow the executions down.
      await new Promise<void>((committed) => {
        store.commits.add(() => store.outbox.remove(sent), committed);
      });
      if (failed.length > 0)
        throw new Error(`EventBridge refused ${failed.length} status-change events`);
      failures = 0;
      // Fewer than were asked for: what has come since has nudged, and gathers company again.
      if (oldest.length < BATCH && rows.length === oldest.length) return;
    }
  }

  function nudge(isUrgent = false): void {
    if (stopped) return;
    again = true;
    urgent ||= isUrgent;
    if (running || retry || (gathering && gathering.urgent === urgent)) return;
    clearTimeout(gathering?.timer);
    const timer = setTimeout(publish, urgent ? URGENT_GATHER_MS : GATHER_MS);
    gathering = { timer, urgent };
  }

  function publish(): void {
    gathering = undefined;
    running = true;
    again = false;
    urgent = false;
    drain()
      .catch((error: unknown) => {
        // Once per outage, not once per attempt.
        if (failures++ === 0) report(error);
        const delayMs = Math.min(RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
        retry = setTimeout(() => {
          retry = undefined;
          nudge();
        }, delayMs);
      })
      .finally(() => {
        running = false;
        if (again && !retry) nudge();
      });
  }

  return {
    /** There may be something to send; whether somebody acts on it. */
    nudge,
    stop(): void {
      stopped = true;
      clearTimeout(gathering?.timer);
      clearTimeout(retry);
    },
  };
}

/** As many of the rows as one request may hold; one alone is always below the limit. */
function fitting(rows: readonly OutboxRow[]): readonly OutboxRow[] {
  let bytes = 0;
  const tooMuch = rows.findIndex(
    ({ event }) => (bytes += Buffer.byteLength(event)) > MAX_BATCH_BYTES,
  );
  return tooMuch === -1 ? rows : rows.slice(0, Math.max(1, tooMuch));
}
