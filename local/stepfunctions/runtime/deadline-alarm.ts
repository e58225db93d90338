import type { Clock } from '../clock.ts';
import { DeadlineHeap } from './deadline-heap.ts';

export type DeadlineAlarm = ReturnType<typeof createDeadlineAlarm>;

/** One alarm for the deadlines of all executions, set to the earliest. */
export function createDeadlineAlarm(clock: Clock, due: (executionIds: number[]) => void) {
  const deadlines = new DeadlineHeap();
  let alarm: { at: number; cancel: () => void } | undefined;

  function arm(): void {
    const { earliest } = deadlines;
    if (alarm?.at === earliest) return;
    alarm?.cancel();
    alarm =
      earliest === Infinity ? undefined : { at: earliest, cancel: clock.setAlarm(earliest, ring) };
  }

  function ring(): void {
    alarm = undefined;
    due(deadlines.takeDue(clock.now()));
    arm();
  }

  return {
    /** Infinity: the execution waits for no moment. */
    set(executionId: number, dueAt: number): void {
      deadlines.set(executionId, dueAt);
      arm();
    },
    size: () => deadlines.size,
    stop: () => alarm?.cancel(),
  };
}
