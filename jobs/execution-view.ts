import type { DescribeExecutionCommandOutput, SFNClient } from '@aws-sdk/client-sfn';
import { type AslState, statesOf } from './asl-states.ts';
import { describeExecution, readHistory, recordedDefinition } from './execution-history.ts';
import { stateVisits, type StateVisit, type VisitStatus } from './execution-states.ts';

/** A state of the definition with how it stands in this execution. */
export type StateView = Pick<AslState, 'name' | 'type' | 'comment' | 'parent' | 'next'> & {
  /** Of its worst passage: what failed shows before what runs, what runs before what is done. */
  readonly status: VisitStatus | 'NOT_ENTERED';
  readonly visits: number;
  readonly attempts: number;
  readonly enteredAt: Date | null;
  readonly exitedAt: Date | null;
  readonly error: string | null;
  readonly cause: string | null;
};

/** An execution for a person to read, all of it from Step Functions' own API. */
export type ExecutionOverview = {
  readonly execution: DescribeExecutionCommandOutput;
  /** undefined where Step Functions does not tell it any more. */
  readonly definition: string | undefined;
  readonly states: readonly StateView[];
  readonly timeline: readonly StateVisit[];
  /** The history is longer than what was read: `states` and `timeline` show its beginning. */
  readonly truncated: boolean;
};

/** undefined where there is no such execution. Without `withStates` its history is not read: no states, no timeline. */
export async function viewExecution(
  sfn: SFNClient,
  executionArn: string,
  withStates = true,
): Promise<ExecutionOverview | undefined> {
  const execution = await describeExecution(sfn, executionArn);
  if (execution === undefined) return undefined;
  const [definition, history] = await Promise.all([
    recordedDefinition(sfn, executionArn),
    withStates ? readHistory(sfn, executionArn) : undefined,
  ]);
  if (history === undefined) {
    return { execution, definition, states: [], timeline: [], truncated: false };
  }
  const timeline = stateVisits(history.events, execution.status ?? '');
  return {
    execution,
    definition,
    states: viewStates(statesOf(definition ?? ''), timeline),
    timeline,
    truncated: history.truncated,
  };
}

const worstFirst: readonly VisitStatus[] = [
  'FAILED',
  'ABORTED',
  'RETRYING',
  'RUNNING',
  'CAUGHT',
  'SUCCEEDED',
];

/** Pure: every state of the definition, also those that were never entered. */
export function viewStates(
  states: readonly AslState[],
  visits: readonly StateVisit[],
): StateView[] {
  const byState = Map.groupBy(visits, ({ state }) => state);
  return states.map((state) => {
    const own = byState.get(state.name) ?? [];
    const status = worstFirst.find((candidate) => own.some((visit) => visit.status === candidate));
    const shown = own.findLast((visit) => visit.status === status);
    return {
      ...state,
      status: status ?? 'NOT_ENTERED',
      visits: own.length,
      attempts: own.reduce((sum, visit) => sum + visit.attempts, 0),
      enteredAt: own[0]?.enteredAt ?? null,
      exitedAt: shown?.exitedAt ?? null,
      error: shown?.error ?? null,
      cause: shown?.cause ?? null,
    };
  });
}
