import type { HistoryEvent } from '@aws-sdk/client-sfn';

/**
 * An event as GetExecutionHistory writes it, its time as text. A task token in a task's parameters is left out: who has it
 * can answer in the task's place.
 */
export function representEvent(event: HistoryEvent): Record<string, unknown> {
  const { timestamp, taskScheduledEventDetails: scheduled, ...rest } = event;
  return {
    ...rest,
    ...(scheduled === undefined
      ? {}
      : {
          taskScheduledEventDetails: { ...scheduled, parameters: hideTokens(scheduled.parameters) },
        }),
    timestamp: timestamp?.toISOString() ?? null,
  };
}

/** In JSON text: the strings of all members whose name ends in `token`. */
export const hideTokens = (json: string | undefined): string | undefined =>
  json?.replaceAll(/("\w*token"\s*:\s*)"(?:[^"\\]|\\.)*"/gi, '$1"(hidden)"');
