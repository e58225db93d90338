import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { outOfMemory, outOfTime, type Bindings, type Outcome } from './expression-outcome.ts';
import {
  evaluationTimeoutMs,
  type EvaluationAnswer,
  type EvaluationRequest,
} from './evaluation-protocol.ts';

/** Behind the evaluation's own limit: for what never comes back to check it, such as a regular expression. */
const deadlineMs = evaluationTimeoutMs + 1_000;
/** AWS bounds one value at 7 MB, and an evaluation holds several. */
const maxHeapMb = 256;

type Job = {
  readonly text: string;
  readonly bindings: Bindings;
  readonly resolve: (outcome: Outcome) => void;
};

/**
 * Evaluates expressions one after the other in a process of its own, started when first needed: one that passes
 * the deadline or the heap ends that process and no other. (A worker thread would not do: V8 ends the whole
 * process when a single allocation, such as a text doubled 25 times, passes a thread's heap limit.)
 */
export class EvaluationProcess {
  private child: ChildProcess | undefined;
  private current: Job | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly waiting: Job[] = [];

  get load(): number {
    return this.waiting.length + (this.current ? 1 : 0);
  }

  /** Never rejects. */
  evaluate(text: string, bindings: Bindings): Promise<Outcome> {
    return new Promise((resolve) => {
      this.waiting.push({ text, bindings, resolve });
      this.next();
    });
  }

  private next(): void {
    if (this.current) return;
    this.current = this.waiting.shift();
    if (!this.current) {
      keepParentAlive(this.child, false);
      return;
    }
    const child = (this.child ??= this.start());
    keepParentAlive(child, true);
    const request: EvaluationRequest = { text: this.current.text, bindings: this.current.bindings };
    child.send(request, (error) => {
      if (error) this.ended(child, outOfMemory);
    });
  }

  private start(): ChildProcess {
    const child = fork(
      fileURLToPath(new URL('./evaluation-process-main.ts', import.meta.url)),
      [],
      {
        execArgv: [`--max-old-space-size=${maxHeapMb}`],
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      },
    );
    child.on('message', (answer: EvaluationAnswer) => this.answered(child, answer));
    child.on('error', () => this.ended(child, outOfMemory));
    child.on('exit', () => this.ended(child, outOfMemory));
    return child;
  }

  private answered(child: ChildProcess, answer: EvaluationAnswer): void {
    if (child !== this.child) return;
    if (answer.kind === 'started') {
      this.timer = setTimeout(() => {
        this.ended(child, outOfTime);
        child.kill('SIGKILL');
      }, deadlineMs);
      return;
    }
    this.settle(answer.outcome);
  }

  private ended(child: ChildProcess, outcome: Outcome): void {
    if (child !== this.child) return;
    this.child = undefined;
    this.settle(outcome);
  }

  private settle(outcome: Outcome): void {
    clearTimeout(this.timer);
    this.current?.resolve(outcome);
    this.current = undefined;
    this.next();
  }
}

/** Only an evaluation under way is a reason not to exit. */
function keepParentAlive(child: ChildProcess | undefined, isNeeded: boolean): void {
  if (isNeeded) {
    child?.ref();
    child?.channel?.ref();
  } else {
    child?.unref();
    child?.channel?.unref();
  }
}

// Two, so that one slow expression does not hold up all others; they keep nothing between evaluations.
const processes = [new EvaluationProcess(), new EvaluationProcess()];

/** Evaluates where it can do no harm. Never rejects. */
export function evaluateApart(text: string, bindings: Bindings): Promise<Outcome> {
  const idlest = processes.reduce((best, each) => (each.load < best.load ? each : best));
  return idlest.evaluate(text, bindings);
}
