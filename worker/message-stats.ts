import type { Disposition } from '../jobs/dispatch/dispatch-message.ts';
import type { ReceivedMessage } from '../jobs/store/quarantine.ts';
import type { ConsumerState } from '../jobs/store/workers.ts';

type Outcome = {
  readonly at: number;
  readonly ms: number;
  readonly done: boolean;
  readonly receiveCount: number;
  readonly ageSeconds: number | null;
};

const windowMs = 60_000;

/** How a queue's consumer does, over the last minute. `now` gives milliseconds of a clock that never goes back. */
export type MessageStats = {
  /** Wraps the handler of a queue's messages. */
  measured(
    handle: (message: ReceivedMessage) => Promise<Disposition>,
    onOutcome?: (message: ReceivedMessage, disposition: Disposition, ms: number) => void,
  ): (message: ReceivedMessage) => Promise<Disposition>;
  read(): ConsumerState;
};

export function createMessageStats(now: () => number): MessageStats {
  let outcomes: Outcome[] = [];
  let inHand = 0;
  return {
    measured: (handle, onOutcome) => async (message) => {
      const startedAt = now();
      const ageSeconds = ageOf(message);
      inHand += 1;
      try {
        const disposition = await handle(message);
        const ms = now() - startedAt;
        const done = disposition.kind === 'done';
        outcomes.push({ at: now(), ms, done, receiveCount: message.receiveCount, ageSeconds });
        onOutcome?.(message, disposition, ms);
        return disposition;
      } finally {
        inHand -= 1;
      }
    },
    read() {
      const since = now() - windowMs;
      outcomes = outcomes.filter(({ at }) => at >= since);
      const ages = outcomes.flatMap(({ ageSeconds }) => ageSeconds ?? []);
      const done = outcomes.filter((outcome) => outcome.done).length;
      return {
        received: outcomes.length,
        done,
        later: outcomes.length - done,
        inHand,
        redelivered: outcomes.filter(({ receiveCount }) => receiveCount > 1).length,
        highestReceiveCount: outcomes.reduce(
          (most, { receiveCount }) => Math.max(most, receiveCount),
          0,
        ),
        oldestSeconds:
          ages.length === 0 ? null : ages.reduce((oldest, age) => Math.max(oldest, age), 0),
        p99Ms: percentile99(outcomes.map(({ ms }) => ms)),
      };
    },
  };
}

/** How long a message had lain in the queue; null where SQS does not say. */
export function ageOf({ attributes }: ReceivedMessage): number | null {
  const sentAt = Number(attributes['SentTimestamp']);
  return Number.isFinite(sentAt) && sentAt > 0 ? Math.max(0, (Date.now() - sentAt) / 1000) : null;
}

function percentile99(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? null;
}
