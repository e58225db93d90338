import { type WatchDeps, watchEverySeconds, watchStates } from '../jobs/watch-states.ts';
import { type Loop, repeat } from './repeat.ts';

/** Measures states and looks where long runs are. A turn that waits for AWS's rate does not hold up a stop. */
export function watchLoop(deps: Omit<WatchDeps, 'isEnding'>): Loop {
  let ending = false;
  const loop = repeat(
    'state times',
    watchEverySeconds * 1000,
    async () => await watchStates({ ...deps, isEnding: () => ending }),
    deps.log,
  );
  return {
    end() {
      ending = true;
      loop.end();
    },
    async stop() {
      ending = true;
      await loop.stop();
    },
  };
}
