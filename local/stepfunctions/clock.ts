/**
 * The time the engine lives by: what goes into events, and when deadlines are due.
 * Everything that waits asks this clock, so that a test can move 14 days in an instant.
 */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `ring` once the time is `at` or later; returns how to call it off. */
  setAlarm(at: number, ring: () => void): () => void;
};

/** The longest delay setTimeout takes; a later alarm is set again when this one rings. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  setAlarm(at, ring) {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const remainingMs = at - Date.now();
      if (remainingMs <= 0) timer = setTimeout(ring, 0);
      else if (remainingMs > LONGEST_TIMEOUT_MS) timer = setTimeout(arm, LONGEST_TIMEOUT_MS);
      else timer = setTimeout(() => (Date.now() >= at ? ring() : arm()), remainingMs);
    };
    arm();
    return () => clearTimeout(timer);
  },
};

export type ManualClock = Clock & {
  /** Moves the time forward and rings, in order, what became due on the way. */
  advance(ms: number): void;
};

/** A clock that stands still until it is moved. */
export function createManualClock(start = Date.now()): ManualClock {
  let time = start;
  const alarms = new Set<{ at: number; ring: () => void }>();
  const next = (until: number) =>
    [...alarms].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  return {
    now: () => time,
    setAlarm(at, ring) {
      const alarm = { at, ring };
      alarms.add(alarm);
      // An alarm for now or earlier rings by itself: nobody may ever move the clock again.
      if (at <= time) {
        setImmediate(() => {
          if (alarms.delete(alarm)) ring();
        });
      }
      return () => void alarms.delete(alarm);
    },
    advance(ms) {
      const until = time + ms;
      for (let alarm = next(until); alarm; alarm = next(until)) {
        alarms.delete(alarm);
        time = Math.max(time, alarm.at);
        alarm.ring();
      }
      time = until;
    },
  };
}
