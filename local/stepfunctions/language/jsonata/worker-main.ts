import { parentPort } from 'node:worker_threads';
import { describeJsonataError, failed, outOfTime, type Outcome } from './expression-outcome.ts';
import { makeRunnable, timedOut, type RunnableExpression } from './run-expression.ts';
import { evaluationTimeoutMs, type WorkerAnswer, type WorkerRequest } from './worker-protocol.ts';

/** The thread that evaluates expressions whose cost cannot be told from their text; see worker.ts. */
const maxKept = 500;
const kept = new Map<string, RunnableExpression>();

function runnable(text: string): RunnableExpression {
  const known = kept.get(text);
  if (known) return known;
  const made = makeRunnable(text, evaluationTimeoutMs, RegExp);
  if (kept.size >= maxKept) kept.clear();
  kept.set(text, made);
  return made;
}

async function evaluate({ text, bindings }: WorkerRequest): Promise<Outcome> {
  try {
    const outcome = await runnable(text)(bindings);
    return outcome === timedOut ? outOfTime : outcome;
  } catch (error) {
    return failed(describeJsonataError(error));
  }
}

function answer(message: WorkerAnswer): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message);
}

parentPort?.on('message', (request: WorkerRequest) => {
  answer({ kind: 'started' });
  void evaluate(request).then((outcome) => answer({ kind: 'ended', outcome }));
});
