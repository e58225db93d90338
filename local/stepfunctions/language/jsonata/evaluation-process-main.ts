import {
  evaluationTimeoutMs,
  type EvaluationAnswer,
  type EvaluationRequest,
} from './evaluation-protocol.ts';
import { describeJsonataError, failed, outOfTime, type Outcome } from './expression-outcome.ts';
import { makeRunnable, timedOut, type RunnableExpression } from './run-expression.ts';

/** The process that evaluates expressions whose cost cannot be told from their text; see evaluation-process.ts. */
const maxKept = 500;
const kept = new Map<string, RunnableExpression>();

function runnable(text: string): RunnableExpression {
  const known = kept.get(text);
  if (known) return known;
  const made = makeRunnable(text, {
    timeoutMs: evaluationTimeoutMs,
    RegexEngine: RegExp,
    isEveryTextBounded: true,
  });
  if (kept.size >= maxKept) kept.clear();
  kept.set(text, made);
  return made;
}

async function evaluate({ text, bindings }: EvaluationRequest): Promise<Outcome> {
  try {
    const outcome = await runnable(text)(bindings);
    return outcome === timedOut ? outOfTime : outcome;
  } catch (error) {
    return failed(describeJsonataError(error));
  }
}

function answer(message: EvaluationAnswer): void {
  process.send?.(message);
}

process.on('message', (request: EvaluationRequest) => {
  answer({ kind: 'started' });
  void evaluate(request).then((outcome) => answer({ kind: 'ended', outcome }));
});

// It lives as long as its parent does, and leaves Ctrl-C to it.
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => undefined);
