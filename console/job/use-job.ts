import { useCallback, useEffect, useState } from 'react';
import type { Answer } from '../api/call.ts';
import { Refused } from '../api/call.ts';
import { useSession } from '../api/session.tsx';

export type Job = Answer<'getJob'>;

const waitSeconds = 20;
const pauseMs = 2_000;

/** The job, and each change of it as soon as there is one: the API holds the request until its ETag differs. */
export function useJob(jobId: string): {
  readonly job: Job | undefined;
  readonly error: unknown;
  /** Asks at once, after something was done to it. */
  readonly reload: () => void;
} {
  const { call } = useSession();
  const [job, setJob] = useState<Job>();
  const [error, setError] = useState<unknown>();
  const [turn, setTurn] = useState(0);

  useEffect(() => {
    const abort = new AbortController();
    const follow = async (): Promise<void> => {
      let etag: string | undefined;
      while (!abort.signal.aborted) {
        try {
          const headers: Record<string, string> =
            etag === undefined ? {} : { 'if-none-match': etag, prefer: `wait=${waitSeconds}` };
          const answer = await call('getJob', { path: { jobId }, headers, signal: abort.signal });
          setError(undefined);
          if (answer.status === 200) {
            etag = answer.headers.get('etag') ?? undefined;
            setJob(answer.body);
          }
          if (etag === undefined) await pause(pauseMs, abort.signal);
        } catch (failure) {
          if (abort.signal.aborted) return;
          setError(failure);
          if (failure instanceof Refused && (failure.status === 404 || failure.status === 403))
            return;
          await pause(pauseMs, abort.signal);
        }
      }
    };
    void follow();
    return () => abort.abort();
  }, [call, jobId, turn]);

  return { job, error, reload: useCallback(() => setTurn((before) => before + 1), []) };
}

const pause = async (ms: number, signal: AbortSignal): Promise<void> =>
  await new Promise((resolve) => {
    const timer = window.setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      window.clearTimeout(timer);
      resolve();
    });
  });
