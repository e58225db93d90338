import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer } from '../api/call.ts';
import { useSession } from '../api/session.tsx';

export type ListedJob = Answer<'listJobs'>['jobs'][number];

const pageSize = 50;
const liveMs = 3_000;
/** So many of the rows that are shown are brought up to date. */
const mostLive = 200;

export type JobList = {
  readonly jobs: readonly ListedJob[] | undefined;
  readonly hasMore: boolean;
  /** Jobs that fit and came after the list was shown; they wait to be asked for, so that no row moves away. */
  readonly newer: number;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly showNewer: () => void;
  readonly loadMore: () => void;
};

/** The jobs that fit, newest first, page by page; those that are shown are kept up to date where they stand. */
export function useJobList(query: Readonly<Record<string, string>>): JobList {
  const { call } = useSession();
  const key = JSON.stringify(query);
  const [state, setState] = useState<{
    of: string;
    jobs: readonly ListedJob[];
    cursor: string | null;
  }>();
  const [newer, setNewer] = useState(0);
  const [error, setError] = useState<unknown>();
  const [isLoading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const shown = state?.of === key ? state : undefined;
  const newest = useRef(shown);
  newest.current = shown;

  useEffect(() => {
    const abort = new AbortController();
    setLoading(true);
    call('listJobs', { query: { ...JSON.parse(key), limit: pageSize }, signal: abort.signal }).then(
      ({ body }) => {
        setState({ of: key, jobs: body.jobs, cursor: body.nextCursor });
        setNewer(0);
        setError(undefined);
        setLoading(false);
      },
      (failure: unknown) => {
        if (abort.signal.aborted) return;
        setError(failure);
        setLoading(false);
      },
    );
    return () => abort.abort();
  }, [call, key, turn]);

  useEffect(() => {
    const abort = new AbortController();
    const timer = window.setInterval(() => {
      const now = newest.current;
      if (now === undefined || document.visibilityState !== 'visible') return;
      const limit = Math.min(mostLive, Math.max(pageSize, now.jobs.length));
      call('listJobs', { query: { ...JSON.parse(key), limit }, signal: abort.signal }).then(
        ({ body }) => {
          const [first] = now.jobs;
          const isNewer = (job: ListedJob): boolean =>
            first === undefined || job.createdAt > first.createdAt;
          const known = new Set(now.jobs.map(({ jobId }) => jobId));
          setNewer(body.jobs.filter((job) => !known.has(job.jobId) && isNewer(job)).length);
          setState((before) =>
            before?.of === key ? { ...before, jobs: updated(before.jobs, body.jobs) } : before,
          );
          setError(undefined);
        },
        (failure: unknown) => {
          if (!abort.signal.aborted) setError(failure);
        },
      );
    }, liveMs);
    return () => {
      abort.abort();
      window.clearInterval(timer);
    };
  }, [call, key]);

  const loadMore = useCallback(() => {
    const now = newest.current;
    if (now?.cursor == null) return;
    setLoading(true);
    call('listJobs', { query: { ...JSON.parse(key), limit: pageSize, cursor: now.cursor } })
      .then(({ body }) => {
        setState({ of: key, jobs: [...now.jobs, ...body.jobs], cursor: body.nextCursor });
      }, setError)
      .finally(() => setLoading(false));
  }, [call, key]);

  return {
    jobs: shown?.jobs,
    hasMore: shown?.cursor != null,
    newer,
    error,
    isLoading,
    showNewer: useCallback(() => setTurn((before) => before + 1), []),
    loadMore,
  };
}

/** The same rows in the same order, each as it is now. */
function updated(rows: readonly ListedJob[], fresh: readonly ListedJob[]): readonly ListedJob[] {
  const byId = new Map(fresh.map((job) => [job.jobId, job]));
  return rows.map((row) => byId.get(row.jobId) ?? row);
}
