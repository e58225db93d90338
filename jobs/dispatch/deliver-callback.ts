import type { Envelope } from '../envelope.ts';
import { parseCallbackId } from '../ids.ts';
import { type Callback, findCallback, holdAnswer, recordDelivered } from '../store/callbacks.ts';
import type { Sql } from '../store/connect.ts';
import type { DispatchWork } from './run-context.ts';
import { close } from './start-run.ts';

type Message = Envelope<'TaskCallbackReceived'>;

/** What becomes of a stored answer. */
export type Fate =
  | { readonly do: 'send' }
  | { readonly do: 'nothing'; readonly why: string }
  | { readonly do: 'hold'; readonly why: string };

const final = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED']);

/**
 * TaskCallbackReceived: ends the state that waits. Where nothing waits with that token any more, it is done only if
 * a later attempt will read the stored answer (a rerun swaps the token, a timeout's compensation looks first);
 * an answer that nobody will read is held for a person, never dropped.
 */
export async function deliverCallback(work: DispatchWork, envelope: Message): Promise<string> {
  const callback = await find(work.sql, envelope);
  const fate = fateOf(callback);
  if (fate.do !== 'send' || callback === undefined) return await settle(work, envelope, fate);
  const { refused } = await work.executions.succeedTask(callback.taskToken, callback.answer);
  if (refused === undefined) {
    await recordDelivered(work.sql, callback);
    return await close(work, 'delivered');
  }
  // Looked at again after the refusal: what ended the wait may have settled the callback meanwhile.
  return await settle(work, envelope, afterRefusal(await find(work.sql, envelope), refused));
}

/** Pure. */
export function fateOf(callback: Callback | undefined): Fate {
  if (callback?.answer == null) return { do: 'nothing', why: 'there is no answer to deliver' };
  if (callback.deliveredAt !== null) return { do: 'nothing', why: 'delivered before' };
  if (callback.settledAs !== null)
    return afterSettling(callback.settledAs, callback.answer.outcome);
  if (final.has(callback.jobStatus))
    return { do: 'hold', why: `the job is ${callback.jobStatus}: nothing waits for this answer` };
  return { do: 'send' };
}

/** Declined and voided come to the same: nothing was paid. */
const afterSettling = (settledAs: string, outcome: string): Fate =>
  (settledAs === 'succeeded') === (outcome === 'succeeded')
    ? { do: 'nothing', why: 'the job has gone on with this answer' }
    : { do: 'hold', why: `the job went on as ${settledAs}; the provider answered ${outcome}` };

/** Pure: what to do where Step Functions says that nothing waits with the token. */
export function afterRefusal(callback: Callback | undefined, refused: string): Fate {
  const fate = fateOf(callback);
  if (fate.do !== 'send') return fate;
  return { do: 'nothing', why: `kept for the next attempt to read: ${refused}` };
}

async function settle(work: DispatchWork, envelope: Message, fate: Fate): Promise<string> {
  if (fate.do === 'hold') {
    await holdUndelivered(work, envelope, fate.why);
    work.log.error({ jobId: envelope.payload.jobId, why: fate.why }, 'an answer is held');
    return await close(work, `held: ${fate.why}`);
  }
  return await close(work, `not delivered: ${fate.do === 'nothing' ? fate.why : 'no callback'}`);
}

/** Flags the answer for a person. */
export async function holdUndelivered(
  { sql }: { readonly sql: Sql },
  envelope: Message,
  why: string,
): Promise<void> {
  const callbackId = parseCallbackId(envelope.payload.callbackId);
  if (callbackId !== undefined) await holdAnswer(sql, callbackId, why);
}

async function find(sql: Sql, envelope: Message): Promise<Callback | undefined> {
  const callbackId = parseCallbackId(envelope.payload.callbackId);
  return callbackId === undefined ? undefined : await findCallback(sql, callbackId);
}
