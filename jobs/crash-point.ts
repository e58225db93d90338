import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readCrashPointFile } from './config.ts';

/** Where a crash point stands, and what a process that dies there leaves behind. */
type Place = { readonly file: string; readonly leaves: string };

const at = (file: string, leaves: string): Place => ({ file, leaves });

/**
 * Every boundary at which a process is killed in test/faults/crash-matrix.test.ts: the closed list. Each name is
 * called exactly once, in the file given; a new one needs a scenario in the matrix to compile.
 */
export const crashPoints = {
  'before-submit-commit': at('jobs/submit.ts', 'nothing; the client has no answer'),
  'after-submit-commit': at('jobs/submit.ts', 'job and message; the client has no answer'),
  'before-cancel-commit': at('jobs/stop.ts', 'an open job'),
  'after-cancel-commit': at('jobs/stop.ts', 'a CANCELLED job whose stop message nobody publishes'),
  'before-redrive-commit': at('jobs/redrive.ts', 'a FAILED job'),
  'after-redrive-commit': at('jobs/redrive.ts', 'a PENDING job whose message nobody publishes'),
  'before-send-message-batch': at('jobs/relay.ts', 'messages under a relay’s lease'),
  'after-send-message-batch': at(
    'jobs/relay.ts',
    'messages in SQS that the outbox takes for unsent',
  ),
  'after-publish-recorded': at('jobs/relay.ts', 'messages in SQS'),
  'after-message-received': at('worker/consume-queue.ts', 'a message in flight, nothing written'),
  'after-message-claimed': at(
    'jobs/dispatch/dispatch-message.ts',
    'an inbox lease without a holder',
  ),
  'before-start-execution': at('jobs/executions.ts', 'a claimed message and no execution'),
  'after-start-execution': at('jobs/executions.ts', 'an execution that nobody recorded'),
  'after-start-recorded': at(
    'jobs/dispatch/start-run.ts',
    'a message that is done and not deleted',
  ),
  'before-redrive-execution': at('jobs/executions.ts', 'a claimed message and a closed execution'),
  'after-redrive-execution': at('jobs/executions.ts', 'a redrive that nobody recorded'),
  'after-redrive-recorded': at('jobs/dispatch/redrive-run.ts', 'a message done and not deleted'),
  'before-stop-execution': at('jobs/executions.ts', 'a claimed message and a running execution'),
  'after-stop-execution': at('jobs/executions.ts', 'a stopped execution that nobody recorded'),
  'before-message-postponed': at(
    'jobs/dispatch/dispatch-message.ts',
    'an inbox lease, no new message',
  ),
  'after-message-postponed': at(
    'jobs/dispatch/dispatch-message.ts',
    'a message twice: outbox and SQS',
  ),
  'after-message-quarantined': at(
    'jobs/dispatch/dispatch-message.ts',
    'a kept message, not deleted',
  ),
  'before-execution-event-applied': at('jobs/execution-events.ts', 'an event in SQS'),
  'after-execution-event-applied': at('jobs/execution-events.ts', 'an event done and not deleted'),
  'before-delete-message': at('worker/consume-queue.ts', 'messages that are done and not deleted'),
  'after-delete-message': at('worker/consume-queue.ts', 'nothing undone'),
  'before-run-opened': at('tasks/runtime/define-task.ts', 'an attempt without an end, job PENDING'),
  'after-run-opened': at('tasks/runtime/define-task.ts', 'an attempt without an end, job RUNNING'),
  'before-effect-intention': at('jobs/effect-log.ts', 'an attempt without an end'),
  'after-effect-intention': at('jobs/effect-log.ts', 'a lease without a holder, no call'),
  'after-provider-request': at('tasks/runtime/http-client.ts', 'a call whose answer nobody reads'),
  'after-provider-answer': at('jobs/effect-log.ts', 'a call that was answered and not recorded'),
  'after-effect-recorded': at(
    'jobs/effect-log.ts',
    'a COMPLETED effect, an attempt without an end',
  ),
  'before-job-finished': at('jobs/store/finish-job.ts', 'a job whose ending nobody wrote'),
  'before-ordering-key-handed-on': at('jobs/store/ordering.ts', 'an open transaction'),
  'after-job-finished': at(
    'jobs/store/finish-job.ts',
    'a final job; nobody knows that it was written',
  ),
  'before-message-resent': at('jobs/reconcile.ts', 'a job without an owner'),
  'after-message-resent': at('jobs/reconcile.ts', 'a message due again'),
} as const satisfies Readonly<Record<string, Place>>;

export type CrashPoint = keyof typeof crashPoints;

const armedBy = readCrashPointFile();

/**
 * Kills this process, as kill -9 does, where the file named by CRASH_POINT_FILE holds this point's name. Whoever
 * renames the file first dies, so an armed point fires once, in one process. Without the variable: nothing.
 */
export function crashPoint(name: CrashPoint): void {
  if (armedBy === undefined || armedName(armedBy) !== name) return;
  const firedFile = `${armedBy}.${name}.fired`;
  try {
    renameSync(armedBy, firedFile);
  } catch {
    return; // another process was faster and dies of it
  }
  writeFileSync(firedFile, String(process.pid));
  process.kill(process.pid, 'SIGKILL');
}

function armedName(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined; // not armed now
  }
}
