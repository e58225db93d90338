import { backoffMs } from '../backoff.ts';
import { canonicalHash } from '../canonical-json.ts';
import { classify, databaseVerdict } from '../classify.ts';
import { crashPoint } from '../crash-point.ts';
import { type Envelope, jobOf, parseEnvelope } from '../envelope.ts';
import { type Failure, JobError, Terminal, Transient } from '../failure.ts';
import { failureCodes } from '../failure-codes.ts';
import { deliverCallback, holdUndelivered } from './deliver-callback.ts';
import { claimPace, keepClaim } from './keep-claim.ts';
import { redriveRun } from './redrive-run.ts';
import { type DispatchDeps, type DispatchWork, failRun } from './run-context.ts';
import { expire, startRun } from './start-run.ts';
import { stopRun } from './stop-run.ts';
import {
  closeMessage,
  type InboxClaim,
  postponeMessage,
  putOffCopy,
  renewClaim,
} from '../store/inbox.ts';
import { quarantine, type ReceivedMessage } from '../store/quarantine.ts';
import { statementMs, timingStatements } from '../store/statement-time.ts';

/** What the queue's consumer does with the message. */
export type Disposition =
  /** What it asked for is committed, or it is kept elsewhere: delete it. */
  | { readonly kind: 'done'; readonly outcome: string }
  /** Nothing is committed: it stays in SQS and comes back. `code` where something is failing around us. */
  | { readonly kind: 'later'; readonly seconds: number; readonly code?: string };

const retry = { firstMs: 1_000, capMs: 60_000 };

/** Works on one message of job-requests: the same function for the ECS loop and for a Lambda event source. */
export const dispatch = (given: DispatchDeps, message: ReceivedMessage): Promise<Disposition> =>
  timingStatements(() => dispatchTimed(given, message));

async function dispatchTimed(given: DispatchDeps, message: ReceivedMessage): Promise<Disposition> {
  const { queue, sqsMessageId, receiveCount } = message;
  const deps = { ...given, log: given.log.child({ queue, sqsMessageId, receiveCount }) };
  try {
    const envelope = parseEnvelope(message.body);
    return await dispatchEnvelope(deps, envelope);
  } catch (error) {
    const failure = classify(error);
    if (failure instanceof Terminal) return await setAside(deps, message, failure);
    // Nothing could be recorded, so the message must come back.
    deps.log.warn({ err: failure }, 'message left in the queue');
    return { kind: 'later', seconds: laterSeconds(deps, message), code: failure.code };
  }
}

const laterSeconds = (deps: DispatchDeps, message: ReceivedMessage): number =>
  Math.ceil(backoffMs(message.receiveCount, retry, deps.random) / 1_000);

async function setAside(
  deps: DispatchDeps,
  message: ReceivedMessage,
  failure: JobError,
): Promise<Disposition> {
  try {
    await quarantine(deps.sql, message, failure.code, failure.message);
  } catch (error) {
    return { kind: 'later', seconds: laterSeconds(deps, message), code: classify(error).code };
  }
  crashPoint('after-message-quarantined');
  deps.log.error({ code: failure.code, sqsMessageId: message.sqsMessageId }, 'message quarantined');
  return { kind: 'done', outcome: failure.code };
}

async function dispatchEnvelope(deps: DispatchDeps, envelope: Envelope): Promise<Disposition> {
  const early = secondsTooEarly(envelope);
  if (early > 0) {
    // Sent by hand, or by a clock ahead of ours: the relay itself sends what is due.
    await putOffCopy(deps.sql, envelope, early);
    return { kind: 'done', outcome: 'put off: not before its time' };
  }
  const pace = deps.claimPace ?? claimPace;
  const claimedAt = performance.now();
  const hash = requestHashOf(envelope);
  const answer = await deps.claimMessage({ envelope, requestHash: hash, leaseMs: pace.leaseMs });
  crashPoint('after-message-claimed');
  switch (answer.kind) {
    case 'job-unknown':
      throw new Terminal('JOB_UNKNOWN', `there is no job ${envelope.payload.jobId} of this tenant`);
    case 'completed':
    case 'terminal':
      return { kind: 'done', outcome: `duplicate of a ${answer.kind} message` };
    case 'busy':
      await putOffCopy(deps.sql, envelope, Math.ceil(answer.leaseSeconds));
      return { kind: 'done', outcome: 'put off: another consumer has it' };
    case 'other-request':
      throw new Terminal(
        'REQUEST_HASH_MISMATCH',
        `idempotency key ${envelope.idempotencyKey} was used before for another request`,
      );
    case 'claimed': {
      const { claim, run } = answer;
      const kept = keepClaim({ ...deps, claim, claimedAt, pace });
      try {
        const executions = kept.guard(deps.executions);
        return await workOn({ ...deps, executions, envelope, claim, run });
      } finally {
        kept.release();
      }
    }
  }
}

/** The hash of what a message asks for; when, by whom and how often it was sent does not change it. */
export const requestHashOf = (envelope: Envelope): string =>
  canonicalHash({ messageType: envelope.messageType, payload: envelope.payload });

async function workOn(work: DispatchWork): Promise<Disposition> {
  const startedAt = performance.now();
  try {
    const outcome = await act(work);
    const processingMs = Math.round(performance.now() - startedAt);
    const dbTransactionMs = statementMs();
    work.log.info(
      { ...logFields(work.envelope), processingMs, dbTransactionMs, result: outcome },
      'dispatched',
    );
    return { kind: 'done', outcome };
  } catch (error) {
    const failure = classify(error);
    // By its code, too: a connection that was cut may have been one to Step Functions, and then the message can be postponed.
    const ofDatabase = databaseVerdict(failure.cause)?.code === failure.code;
    if (ofDatabase && failure instanceof Transient) throw failure;
    return await recordFailure(work, failure);
  }
}

function act(work: DispatchWork): Promise<string> {
  switch (work.envelope.messageType) {
    case 'JobRequested':
      return startRun(work, work.envelope);
    case 'JobRedriveRequested':
      return redriveRun(work, work.envelope);
    case 'JobStopRequested':
      return stopRun(work, work.envelope);
    case 'TaskCallbackReceived':
      return deliverCallback(work, work.envelope);
  }
}

/** Transient: back to the outbox, as long as the attempt policy allows. Terminal: the job fails, the message is closed. */
async function recordFailure(work: DispatchWork, failure: JobError): Promise<Disposition> {
  const { sql, claim, envelope } = work;
  const final = finalFailure(failure, claim, envelope);
  if (final === undefined) {
    const afterMs = (failure.retryAfterSeconds ?? 0) * 1_000;
    const retryInMs = Math.max(afterMs, backoffMs(claim.attempts, retry, work.random));
    crashPoint('before-message-postponed');
    const postponed = await postponeMessage(sql, claim, envelope, {
      code: failure.code,
      message: failure.message,
      retryInMs,
    });
    crashPoint('after-message-postponed');
    // Another delivery has it in hand; until that one is through, this message is what would come back.
    if (!postponed) return { kind: 'later', seconds: Math.ceil(retryInMs / 1_000) };
    work.log.warn({ ...logFields(envelope), code: failure.code, retryInMs }, 'postponed');
    return { kind: 'done', outcome: `postponed: ${failure.code}` };
  }
  // Whoever has the message now may be starting the run at this moment: it is not ours to end.
  const { leaseMs } = work.claimPace ?? claimPace;
  if (!(await renewClaim(sql, claim, leaseMs))) return { kind: 'later', seconds: 1 };
  if (isLate(envelope) && failure instanceof Transient && (await expire(work))) {
    await closeMessage(sql, claim, 'COMPLETED', 'not started: expired');
    return { kind: 'done', outcome: 'not started: expired' };
  }
  await giveUp(work, final);
  await closeMessage(sql, claim, 'FAILED_TERMINAL', final.code);
  work.log.error({ ...logFields(envelope), code: final.code }, 'given up');
  return { kind: 'done', outcome: final.code };
}

/** What a message leaves behind that can never be done: a run that did not start is FAILED, an answer is held. */
async function giveUp(work: DispatchWork, final: Failure): Promise<void> {
  const { envelope } = work;
  switch (envelope.messageType) {
    case 'JobRequested':
    case 'JobRedriveRequested':
      return await failRun(work, final);
    case 'TaskCallbackReceived':
      return await holdUndelivered(work, envelope, final.message);
    case 'JobStopRequested':
      return; // the reconciler stops it
  }
}

/** Pure: the failure to end with, or undefined where the message may be tried again. */
export function finalFailure(
  failure: JobError,
  claim: InboxClaim,
  envelope: Envelope,
): Failure | undefined {
  const { maxBusinessAttempts, terminalAfterCodes } = envelope.attemptPolicy;
  const ended = (code: keyof typeof failureCodes, message: string): Failure => ({
    code,
    message,
    retryable: failureCodes[code].retryable,
    state: null,
  });
  if (failure instanceof Terminal) return ended(failure.code, failure.message);
  if (terminalAfterCodes.includes(failure.code)) return ended(failure.code, failure.message);
  if (claim.attempts < maxBusinessAttempts && !isLate(envelope)) return undefined;
  return ended(
    'ATTEMPTS_EXHAUSTED',
    `${claim.attempts} attempts; the last failed with ${failure.code}: ${failure.message}`,
  );
}

/** `retryableUntil` is the job's `expiresAt`. */
const isLate = ({ attemptPolicy: { retryableUntil } }: Envelope): boolean =>
  retryableUntil !== null && Date.parse(retryableUntil) < Date.now();

const secondsTooEarly = ({ attemptPolicy: { notBefore } }: Envelope): number =>
  notBefore === null ? 0 : Math.ceil((Date.parse(notBefore) - Date.now()) / 1_000);

const logFields = (envelope: Envelope) => ({
  ...jobOf(envelope),
  messageType: envelope.messageType,
  idempotencyKey: envelope.idempotencyKey,
  run: envelope.payload.run,
  correlationId: envelope.correlationId,
});
