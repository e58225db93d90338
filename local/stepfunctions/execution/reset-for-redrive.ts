import type { LogRecord } from './record.ts';
import { allEnded, collectOutputs } from './start-children.ts';
import type { Children, ExecutionView, MapRun, OpenState, Phase, Thread } from './view.ts';

/**
 * What ExecutionRedriven does to an execution: it runs again from its unsuccessful states, with the
 * same input and variables; finished states, branches and iterations stay finished, retry counters
 * and timeouts start anew.
 * https://docs.aws.amazon.com/step-functions/latest/dg/redrive-executions.html
 */
export function resetForRedrive(
  view: ExecutionView,
  record: Extract<LogRecord, { type: 'ExecutionRedriven' }>,
): void {
  view.status = 'RUNNING';
  view.redriveCount = record.redriveCount;
  view.redrivenAt = record.at;
  delete view.failure;
  delete view.stoppedAt;
  resume(view.root, record.id);
}

function resume(thread: Thread, redrivenEventId: number): void {
  if (thread.at.kind === 'ended') return;
  thread.lastEventId = redrivenEventId;
  if (thread.at.kind === 'enter') return;
  const { open } = thread.at;
  open.retriesUsed = [];
  open.retryCount = 0;
  open.phase = resumedPhase(open, redrivenEventId);
}

function resumedPhase(open: OpenState, redrivenEventId: number): Phase {
  const { phase } = open;
  // A Wait keeps the moment it waits for; AWS says so for timestamps and is silent about Seconds.
  if (phase.kind === 'waiting') return phase;
  const run = 'run' in phase ? phase.run : undefined;
  if (run) return resumedMapRun(phase, run);
  const children = 'children' in phase ? phase.children : undefined;
  if (!children) return { kind: 'entered' };
  if (phase.kind === 'failed' && phase.failure.error === 'States.DataLimitExceeded') {
    // All branches or iterations run again, successful ones too.
    return { kind: 'entered' };
  }
  return resumedChildren(children, redrivenEventId);
}

/**
 * The Map Run goes on with its unsuccessful children; a new one is started instead if the results
 * or an item's input could not be made.
 * https://docs.aws.amazon.com/step-functions/latest/dg/redrive-map-run.html
 */
function resumedMapRun(phase: Phase, run: MapRun): Phase {
  if (phase.kind === 'finished') return phase;
  const startsAnew =
    phase.kind === 'failed' &&
    ['States.DataLimitExceeded', 'States.Runtime', 'States.QueryEvaluationError'].includes(
      phase.failure.error ?? '',
    );
  return startsAnew ? { kind: 'entered' } : { kind: 'map-run', run, isRedriving: true };
}

function resumedChildren(children: Children, redrivenEventId: number): Phase {
  if (allEnded(children)) return { kind: 'finished', result: collectOutputs(children), children };
  for (const thread of children.threads) resume(thread, redrivenEventId);
  return { kind: 'children', children };
}
