import { setImmediate } from 'node:timers/promises';
import type { Replay } from './archive-store.ts';
import { deliverEvent } from './deliver-event.ts';
import type { EventBridge } from './event-bridge.ts';

const BATCH = 100;

export interface ReplayRunner {
  /** Goes on with every replay that has not ended; they are looked for again when one has been started meanwhile. */
  wake(): void;
  /** Resolves when no batch is under way any more; what is left goes on with the next start. */
  stop(): Promise<void>;
}

/**
 * Replays archived events to the rules, in the order of their times. How far it is stands on disk after each batch,
 * so that a crash replays one batch again and loses none.
 */
export function createReplayRunner(bridge: EventBridge): ReplayRunner {
  let running: Promise<void> | undefined;
  const stopping = new AbortController();
  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const replay = openReplay(bridge);
      if (replay === undefined) break;
      await step(bridge, replay);
      // Requests are answered in between.
      await setImmediate();
    }
  };
  return {
    wake: () => {
      if (!stopping.signal.aborted) running ??= work().finally(() => (running = undefined));
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

const openReplay = ({ archives }: EventBridge): Replay | undefined =>
  archives.replays().find(({ endedAtMs }) => endedAtMs === undefined);

async function step(bridge: EventBridge, replay: Replay): Promise<void> {
  const { archives, now } = bridge;
  if (replay.state === 'CANCELLING') {
    archives.putReplay({ ...replay, state: 'CANCELLED', endedAtMs: now().getTime() });
    return;
  }
  const events = archives.next(replay, BATCH);
  const isMeant = (rule: string): boolean =>
    replay.rules.length === 0 || replay.rules.includes(rule);
  for (const { event } of events)
    deliverEvent(bridge, { ...event, 'replay-name': replay.name }, isMeant);
  await bridge.onDisk();
  const last = events.at(-1);
  const latest = archives.getReplay(replay.name) ?? replay; // it may have been cancelled meanwhile
  archives.putReplay(
    last === undefined
      ? { ...latest, state: 'COMPLETED', endedAtMs: now().getTime() }
      : {
          ...latest,
          state: latest.state === 'CANCELLING' ? 'CANCELLING' : 'RUNNING',
          at: { timeMs: last.timeMs, id: last.id },
        },
  );
}
