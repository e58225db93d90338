import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';

v8.setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void;

/**
 * How many bytes of what `work` makes reach V8's old generation, bytes; nothing of it may be needed afterwards. They stay until the next
 * full collection, and every small one before that has copied them: such pauses are what a p99 is made of.
 */
export async function agedBytes(work: () => Promise<void>): Promise<number> {
  collect({ type: 'major' });
  const before = aged();
  await work();
  return aged() - before;
}

function aged(): number {
  // What is young survives one small collection and is old after the second.
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return (
    v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')
      ?.space_used_size ?? NaN
  );
}
