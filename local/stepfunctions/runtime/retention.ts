import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** AWS keeps an execution and its name for 90 days after it has ended. */
const KEPT_MS = 90 * DAY_MS;
const SWEEP_MS = 60 * 60 * 1000;
/** So many in one transaction: the event loop stands still meanwhile. */
const BATCH = 50;

/**
 * Removes executions that ended 90 days ago, once an hour; their names may be used again.
 * https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
 */
export function startRetention(store: Store, clock: Clock): { stop(): void } {
  let cancel = (): void => undefined;
  let pause: NodeJS.Immediate | undefined;

  function sweep(): void {
    const ids = store.executions.closedBefore(clock.now() - KEPT_MS, BATCH);
    store.commits.atomically(() => {
      for (const id of ids) {
        store.mapRuns.removeOf(id);
        store.log.remove(id);
        store.executions.remove(id);
      }
    });
    if (ids.length === BATCH) pause = setImmediate(sweep);
    else cancel = clock.setAlarm(clock.now() + SWEEP_MS, sweep);
  }

  sweep();
  return {
    stop(): void {
      cancel();
      clearImmediate(pause);
    },
  };
}
