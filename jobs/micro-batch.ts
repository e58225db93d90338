/** Groups what comes in while earlier groups are under way; a lone item goes at once. */
export type MicroBatch<Item> = {
  /** Never throws and never waits; `flush` answers for its items itself. */
  add(item: Item): void;
  /** Resolves when everything added so far has been flushed. */
  drain(): Promise<void>;
};

type Options<Item> = {
  readonly maxItems: number;
  readonly maxInFlight: number;
  /** How long the first item waits for others, milliseconds; default: for the next turn of the event loop. */
  readonly gatherMs?: number;
  /** How long an incomplete group waits for more while another one is under way, milliseconds; default: as the first. */
  readonly companyMs?: number;
  /**
   * Do not wait for the end of this turn of the event loop, but only for what has been settled already: what one statement's
   * answer brings still goes together, and goes before that answer's requests are answered.
   */
  readonly early?: boolean;
  /** Must not reject: what fails in it is for it to record. */
  readonly flush: (items: readonly Item[]) => Promise<void>;
};

/**
 * The first item is flushed in the next turn of the event loop, together with all that was added in this one, or after
 * `gatherMs`, or `companyMs` where another group is under way; a full group goes as soon as it is full, and what is left over
 * waits anew. While `maxInFlight` flushes are under way items pile up and go in larger groups.
 */
export function createMicroBatch<Item>({
  maxItems,
  maxInFlight,
  gatherMs,
  companyMs = gatherMs,
  early = false,
  flush,
}: Options<Item>): MicroBatch<Item> {
  const waiting: Item[] = [];
  const inFlight = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let goesThisTurn = false;

  const canFlush = (): boolean => waiting.length > 0 && inFlight.size < maxInFlight;
  /** How long those who are waiting wait for others; undefined: no more. */
  const waitMs = (): number | undefined => {
    if (waiting.length >= maxItems) return undefined;
    return inFlight.size === 0 ? gatherMs : companyMs;
  };
  const flushOne = (): void => {
    const running = flush(waiting.splice(0, maxItems)).finally(() => {
      inFlight.delete(running);
      schedule();
    });
    inFlight.add(running);
  };
  const flushSome = (): void => {
    clearTimeout(timer);
    timer = undefined;
    goesThisTurn = false;
    if (canFlush()) flushOne();
    while (canFlush() && waitMs() === undefined) flushOne();
    schedule();
  };
  const schedule = (): void => {
    if (goesThisTurn || !canFlush()) return;
    const ms = waitMs();
    if (ms !== undefined) {
      timer ??= setTimeout(flushSome, ms);
      return;
    }
    goesThisTurn = true;
    if (early) queueMicrotask(flushSome);
    else setImmediate(flushSome);
  };
  return {
    add(item) {
      waiting.push(item);
      schedule();
    },
    async drain() {
      while (waiting.length > 0 || inFlight.size > 0) {
        if (inFlight.size === 0) flushSome();
        await Promise.all(inFlight);
      }
    },
  };
}
