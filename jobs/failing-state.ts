import { GetExecutionHistoryCommand, type HistoryEvent, type SFNClient } from '@aws-sdk/client-sfn';
import { classifyingAws } from './classify.ts';

/** A small page: the failing state stands near the end of the history. */
const pageSize = 100;

export type FailingPlace = {
  /** The state that made the execution fail, or null where the page does not show it. */
  readonly state: string | null;
  /** Where that state is a distributed Map: its Map Run. */
  readonly mapRunArn: string | null;
};

/**
 * Where the execution failed, from the newest history events. GetExecutionHistory is refilled at 20 calls a second on
 * AWS: the caller limits the rate.
 */
export async function readFailingPlace(
  sfn: SFNClient,
  executionArn: string,
): Promise<FailingPlace> {
  const command = new GetExecutionHistoryCommand({
    executionArn,
    reverseOrder: true,
    maxResults: pageSize,
    includeExecutionData: false,
  });
  const { events } = await classifyingAws(() => sfn.send(command));
  return failingPlace(events ?? []);
}

/** Pure: `events` newest first. Follows the chain of causes back from the last event that is not the execution's own. */
export function failingPlace(events: readonly HistoryEvent[]): FailingPlace {
  const byId = new Map(events.map((event) => [event.id, event]));
  let event = events.find(({ type }) => type !== undefined && !type.startsWith('Execution'));
  let mapRunArn: string | null = null;
  while (event !== undefined) {
    const { mapRunStartedEventDetails, mapRunRedrivenEventDetails } = event;
    mapRunArn ??=
      mapRunRedrivenEventDetails?.mapRunArn ?? mapRunStartedEventDetails?.mapRunArn ?? null;
    const state = event.stateEnteredEventDetails?.name;
    if (state !== undefined) return { state, mapRunArn };
    event = byId.get(event.previousEventId);
  }
  return { state: null, mapRunArn };
}
