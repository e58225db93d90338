import type { HistoryEvent } from '@aws-sdk/client-sfn';
import { stateVisits } from './execution-states.ts';

/** How long one passage through a state took, with its retries and their backoff. */
export type StateTime = { readonly state: string; readonly seconds: number };

/** A state that was entered and not left, as the history tells. */
export type OpenState = {
  readonly state: string;
  /** When it was entered, or when the redrive began that goes on with it. */
  readonly since: string;
  /** How often its task was scheduled. */
  readonly attempts: number;
  /** Of its last attempt that failed. */
  readonly error: string | null;
};

/** What works: the others take no time of their own, or, as Parallel and Wait, just what was asked for. */
const working = new Set(['Task', 'Map']);

/** Pure: what each passage took; `events` oldest first, of an execution that has ended. */
export const stateTimes = (events: readonly HistoryEvent[]): StateTime[] =>
  stateVisits(events, 'SUCCEEDED').flatMap(({ state, type, enteredAt, exitedAt }) =>
    working.has(type) && exitedAt !== null
      ? [{ state, seconds: (exitedAt.getTime() - enteredAt.getTime()) / 1000 }]
      : [],
  );

/** Pure: where a running execution is; `events` newest first, and maybe not all of them. */
export function openStates(events: readonly HistoryEvent[]): OpenState[] {
  const redrivenAt = events.find(({ type }) => type === 'ExecutionRedriven')?.timestamp?.getTime();
  return stateVisits(events.toReversed(), 'RUNNING').flatMap(
    ({ state, type, enteredAt, exitedAt, attempts, error }) => {
      if (!working.has(type) || exitedAt !== null) return [];
      // It was open while the job was FAILED and waited for its redrive.
      const since = new Date(Math.max(enteredAt.getTime(), redrivenAt ?? 0)).toISOString();
      return [{ state, since, attempts, error }];
    },
  );
}
