import type { Logger } from 'pino';
import { backoffMs } from '../backoff.ts';
import { classify } from '../classify.ts';
import type { Disposition } from '../dispatch/dispatch-message.ts';
import { Terminal } from '../failure.ts';
import type { Sql } from '../store/connect.ts';
import { isHandled, recordHandled } from '../store/events.ts';
import { quarantine, type ReceivedMessage } from '../store/quarantine.ts';
import { readEvent, type ReceivedEvent } from './read-event.ts';

/** What a subscriber does with an event; it may be called with the same event again. */
export type EventHandler = {
  readonly name: string;
  /** Gives what it came to, for the inbox. `replayed` events are those that an archive brings again. */
  readonly handle: (event: ReceivedEvent) => Promise<string>;
  /** What becomes of an event that is brought again on purpose: done anew, or left alone. */
  readonly onReplay: 'handle' | 'skip';
};

export type SubscriberDeps = {
  readonly sql: Sql;
  readonly log: Logger;
  readonly random: () => number;
};

const retry = { firstMs: 1_000, capMs: 600_000 };

/**
 * Works on one message of a subscriber's queue. The inbox, by event and handler, tells repeats; a replay is a repeat
 * on purpose. What fails for good is recorded and not tried again; what may pass comes back later.
 */
export async function handleEvent(
  deps: SubscriberDeps,
  handler: EventHandler,
  message: ReceivedMessage,
): Promise<Disposition> {
  try {
    const event = readEvent(message.body);
    const outcome = await once(deps, handler, event);
    deps.log.info(
      { handler: handler.name, eventId: event.eventId, type: event.type, outcome },
      'event',
    );
    return { kind: 'done', outcome };
  } catch (error) {
    const failure = classify(error);
    if (failure instanceof Terminal) return await setAside(deps, message, failure);
    deps.log.warn({ err: failure, handler: handler.name }, 'event left in the queue');
    return later(deps, message, failure.code);
  }
}

async function once(
  { sql }: SubscriberDeps,
  handler: EventHandler,
  event: ReceivedEvent,
): Promise<string> {
  if (event.replayName !== null) {
    return handler.onReplay === 'skip'
      ? `skipped: replay ${event.replayName}`
      : await handler.handle(event);
  }
  if (await isHandled(sql, event.eventId, handler.name)) return 'handled before';
  const outcome = await attempt(handler, event);
  await recordHandled(sql, event.eventId, handler.name, outcome);
  return outcome;
}

/** A refusal for good is an outcome too: the effect log has what a person needs to know of it. */
async function attempt(handler: EventHandler, event: ReceivedEvent): Promise<string> {
  try {
    return await handler.handle(event);
  } catch (error) {
    const failure = classify(error);
    if (failure instanceof Terminal)
      return `failed: ${failure.code}: ${failure.message.slice(0, 500)}`;
    throw failure;
  }
}

const later = (deps: SubscriberDeps, message: ReceivedMessage, code: string): Disposition => ({
  kind: 'later',
  seconds: Math.ceil(backoffMs(message.receiveCount, retry, deps.random) / 1_000),
  code,
});

async function setAside(
  deps: SubscriberDeps,
  message: ReceivedMessage,
  failure: Terminal,
): Promise<Disposition> {
  try {
    await quarantine(deps.sql, message, failure.code, failure.message);
  } catch (error) {
    return later(deps, message, classify(error).code);
  }
  deps.log.error({ code: failure.code, sqsMessageId: message.sqsMessageId }, 'event quarantined');
  return { kind: 'done', outcome: failure.code };
}
