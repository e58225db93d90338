import { useCallback, useEffect, useState } from 'react';
import { type Answer, type CallInput, type OperationName, Refused } from './call.ts';
import { useSession } from './session.tsx';

export type Asked<Body> = {
  /** The newest answer; stays while it is asked again, also when that fails. */
  readonly body: Body | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

/** What could not be answered, because something was away, is asked again this soon. */
const retryMs = 3_000;

const mayPass = (error: unknown): boolean => !(error instanceof Refused) || error.status >= 500;

/**
 * Asks the API, and again every `everyMs` while the page is seen. `input` is compared by its JSON; `null` asks nothing. Another
 * `version` asks again at once and keeps the answer meanwhile.
 */
export function useAnswer<Name extends OperationName>(
  name: Name,
  input: Omit<CallInput, 'signal'> | null = {},
  everyMs?: number,
  version = '',
): Asked<Answer<Name>> {
  const { call } = useSession();
  const [state, setState] = useState<{ body?: Answer<Name>; error?: unknown; of?: string }>({});
  const [turn, setTurn] = useState(0);
  const asked = input === null ? undefined : JSON.stringify(input);

  useEffect(() => {
    if (asked === undefined) return;
    const abort = new AbortController();
    let timer: number | undefined;
    const ask = async (): Promise<void> => {
      let pauseMs = everyMs;
      try {
        const { body } = await call(name, { ...JSON.parse(asked), signal: abort.signal });
        setState({ body, of: asked });
      } catch (error) {
        if (abort.signal.aborted) return;
        if (mayPass(error)) pauseMs = Math.min(retryMs, everyMs ?? retryMs);
        setState((before) => (before.of === asked ? { ...before, error } : { error, of: asked }));
      }
      if (pauseMs !== undefined && !abort.signal.aborted) timer = window.setTimeout(next, pauseMs);
    };
    const next = (): void => {
      if (document.visibilityState === 'visible') void ask();
      else timer = window.setTimeout(next, everyMs ?? retryMs);
    };
    void ask();
    return () => {
      abort.abort();
      window.clearTimeout(timer);
    };
  }, [call, name, asked, everyMs, version, turn]);

  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const isOfNow = state.of === asked;
  return {
    body: isOfNow ? state.body : undefined,
    error: isOfNow ? state.error : undefined,
    isLoading: asked !== undefined && !isOfNow,
    reload,
  };
}
