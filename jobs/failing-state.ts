import { GetExecutionHistoryCommand, type HistoryEvent, type SFNClient } from '@aws-sdk/client-sfn';
import { classifyingAws } from './classify.ts';

/** A small page: the failing state stands near the end of the history. */
const pageSize = 100;

/**
 * The name of the state that made the execution fail, from the newest history events, or null where the page
 * does not show it. GetExecutionHistory is refilled at 20 calls a second on AWS: the caller limits the rate.
 */
export async function readFailingState(
  sfn: SFNClient,
  executionArn: string,
): Promise<string | null> {
  const command = new GetExecutionHistoryCommand({
    executionArn,
    reverseOrder: true,
    maxResults: pageSize,
    includeExecutionData: false,
  });
  const { events } = await classifyingAws(() => sfn.send(command));
  return failingState(events ?? []);
}

/** Pure: `events` newest first. Follows the chain of causes back from the last event that is not the execution's own. */
export function failingState(events: readonly HistoryEvent[]): string | null {
  const byId = new Map(events.map((event) => [event.id, event]));
  let event = events.find(({ type }) => type !== undefined && !type.startsWith('Execution'));
  while (event !== undefined) {
    if (event.stateEnteredEventDetails?.name !== undefined)
      return event.stateEnteredEventDetails.name;
    event = byId.get(event.previousEventId);
  }
  return null;
}
