import type { DescribeExecutionCommandOutput, SFNClient } from '@aws-sdk/client-sfn';
import { reachableFrom, statesOf } from './asl-states.ts';
import {
  currentDefinition,
  describeExecution,
  readHistory,
  recordedDefinition,
} from './execution-history.ts';
import { type StateVisit, stateVisits } from './execution-states.ts';

/** Hard: https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html */
const redrivableDays = 14;

/** What a redrive of a job would do, told before it is done. */
export type RedrivePreview = {
  /** `resume`: whether RedriveExecution would be allowed; `reason` is AWS's own where it is not. */
  readonly resume: {
    readonly allowed: boolean;
    readonly reason: string | null;
    /** Until when it can be resumed: 14 days after its execution closed. */
    readonly until: Date | null;
    /** The states that would run again: entered, and neither finished nor caught. */
    readonly statesAgain: readonly string[];
    /** The states that may follow them. */
    readonly statesAfter: readonly string[];
    /** The history is too long to be read for a preview: the lists may lack states. */
    readonly truncated: boolean;
  };
  /** A restart runs the current definition from its first state. */
  readonly restart: { readonly statesAgain: readonly string[] };
  /** null where one of the two definitions is not told any more. */
  readonly definitionChanged: boolean | null;
};

/** Asks Step Functions what it would allow. */
export async function previewRedrive(
  sfn: SFNClient,
  arns: { readonly execution: string; readonly stateMachine: string },
): Promise<RedrivePreview> {
  const [execution, recorded, current] = await Promise.all([
    describeExecution(sfn, arns.execution),
    recordedDefinition(sfn, arns.execution),
    currentDefinition(sfn, arns.stateMachine),
  ]);
  const history =
    execution === undefined
      ? { events: [], truncated: false }
      : await readHistory(sfn, arns.execution);
  const visits = stateVisits(history.events, execution?.status ?? '');
  return {
    resume: {
      ...verdictOf(execution),
      ...statesOfResume(recorded ?? '', visits),
      truncated: history.truncated,
    },
    restart: { statesAgain: statesOf(current ?? '').map(({ name }) => name) },
    definitionChanged:
      recorded === undefined || current === undefined ? null : recorded !== current,
  };
}

function verdictOf(
  execution: DescribeExecutionCommandOutput | undefined,
): Pick<RedrivePreview['resume'], 'allowed' | 'reason' | 'until'> {
  if (execution === undefined) {
    return { allowed: false, reason: 'Step Functions knows no such execution', until: null };
  }
  const { redriveStatus, redriveStatusReason, stopDate } = execution;
  const allowed = redriveStatus === 'REDRIVABLE';
  return {
    allowed,
    reason: allowed ? null : (redriveStatusReason ?? `redriveStatus is ${redriveStatus}`),
    until:
      stopDate === undefined
        ? null
        : new Date(stopDate.getTime() + redrivableDays * 24 * 60 * 60 * 1000),
  };
}

/** Pure. */
export function statesOfResume(
  definition: string,
  visits: readonly StateVisit[],
): Pick<RedrivePreview['resume'], 'statesAgain' | 'statesAfter'> {
  const again = new Set(
    visits.filter(({ exitedAt }) => exitedAt === null).map(({ state }) => state),
  );
  const after = reachableFrom(statesOf(definition), again);
  return { statesAgain: [...again], statesAfter: after.map(({ name }) => name) };
}
