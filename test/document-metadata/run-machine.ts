import { readFileSync } from 'node:fs';
import type { JobId } from '../../jobs/ids.ts';
import type { TaskHandler } from '../../tasks/runtime/define-task.ts';
import type { TaskDeps } from '../../tasks/runtime/task-deps.ts';
import { handler as extractMetadata } from '../../tasks/extract-metadata.ts';
import { handler as markRunning } from '../../tasks/mark-running.ts';
import { handler as markSucceeded } from '../../tasks/mark-succeeded.ts';
import { handler as notifyIndexed } from '../../tasks/notify-indexed.ts';
import { handler as validatePayload } from '../../tasks/validate-payload.ts';
import { eventOf } from '../tasks/task-fixture.ts';

const definition = JSON.parse(
  readFileSync(
    new URL('../../statemachines/document-metadata/definition.asl.json', import.meta.url),
    'utf8',
  ),
);

/** The constants of a state's Payload, as its definition has them. */
const constantsOf = (state: string): Record<string, unknown> => {
  const payload: Record<string, unknown> = definition.States[state].Parameters.Payload;
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !name.endsWith('.$')));
};

type Document = { superseded: boolean; indexedAt: string; result: Record<string, unknown> };

/** The way of one execution through the tasks, in the definition's order, without an engine. */
export async function runMachine(
  deps: TaskDeps,
  jobId: JobId,
  under: { executionName?: string; redriveCount?: number } = {},
): Promise<{ notified: boolean; result: Record<string, unknown> }> {
  const run = async (
    handler: TaskHandler,
    state: string,
    extras: Record<string, unknown> = {},
  ): Promise<unknown> => {
    const event = eventOf(jobId, state, { ...constantsOf(state), ...extras });
    return await handler.withDeps(deps)({ ...event, ...under });
  };
  await run(markRunning, 'MarkRunning');
  await run(validatePayload, 'ValidatePayload');
  const document = (await run(extractMetadata, 'ExtractMetadata')) as Document;
  if (!document.superseded) await run(notifyIndexed, 'NotifyIndexed', { document });
  await run(markSucceeded, 'MarkSucceeded', { result: document.result });
  return { notified: !document.superseded, result: document.result };
}
