import { useState } from 'react';

/** Something that a button does: whether it is being done, and how it failed. */
export function useAction<Arguments extends unknown[]>(
  act: (...given: Arguments) => Promise<void>,
): {
  readonly run: (...given: Arguments) => void;
  readonly isBusy: boolean;
  readonly error: unknown;
} {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const run = (...given: Arguments): void => {
    if (state.isBusy) return;
    setState({ isBusy: true });
    act(...given).then(
      () => setState({ isBusy: false }),
      (error: unknown) => setState({ isBusy: false, error }),
    );
  };
  return { run, isBusy: state.isBusy, error: state.error };
}
