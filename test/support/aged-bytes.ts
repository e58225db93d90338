import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';

v8.setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void;

/**
 * How much of what `work` makes reaches V8's old generation, bytes; nothing of it may be needed afterwards. There it stays until
 * the next full collection, and every small one before that copies what it points to: such pauses are what a p99 is made of.
 *
 * `work` is done again where a full collection came in between and took some of it.
 */
export async function agedBytes(work: () => Promise<void>): Promise<number> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    collect({ type: 'major' });
    let full = 0;
    const observer = new PerformanceObserver((list) => {
      full += list.getEntries().filter(isFull).length;
    });
    await nextTurn();
    observer.observe({ entryTypes: ['gc'] });
    const before = aged();
    await work();
    const bytes = aged() - before;
    await nextTurn();
    full += observer.takeRecords().filter(isFull).length;
    observer.disconnect();
    if (full === 0) return bytes;
  }
  throw new Error('each time a full collection came in between');
}

/** https://nodejs.org/api/perf_hooks.html#garbage-collection-gc-details */
const isFull = (entry: PerformanceEntry & { readonly detail?: unknown }): boolean =>
  typeof entry.detail === 'object' &&
  entry.detail !== null &&
  Reflect.get(entry.detail, 'kind') === constants.NODE_PERFORMANCE_GC_MAJOR;

function aged(): number {
  // What is young survives one small collection and is old after the second.
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  const old = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space');
  if (old === undefined) throw new Error('V8 has no old_space any more');
  return old.space_used_size;
}
