import { Worker } from 'node:worker_threads';
import {
  outOfMemory,
  outOfTime,
  failed,
  type Bindings,
  type Outcome,
} from './expression-outcome.ts';
import { evaluationTimeoutMs, type WorkerAnswer, type WorkerRequest } from './worker-protocol.ts';

/** Behind the evaluation's own limit: for what never comes back to check it, such as a regular expression. */
const deadlineMs = evaluationTimeoutMs + 250;
/** The worker's heap; AWS bounds one value at 7 MB, and an evaluation holds several. */
const maxHeapMb = 160;

type Job = {
  readonly text: string;
  readonly bindings: Bindings;
  readonly resolve: (outcome: Outcome) => void;
};

/**
 * Evaluates expressions one after the other in a thread of their own, so that none can hold up the process
 * or take its memory: an expression that passes the deadline or the heap ends its thread, not the process.
 */
class EvaluationThread {
  private worker: Worker | undefined;
  private current: Job | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly waiting: Job[] = [];

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
      this.worker?.unref();
      return;
    }
    const worker = (this.worker ??= this.start());
    worker.ref();
    const request: WorkerRequest = { text: this.current.text, bindings: this.current.bindings };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(request);
  }

  private start(): Worker {
    const worker = new Worker(new URL('./worker-main.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 16 },
    });
    worker.on('message', (answer: WorkerAnswer) => this.answered(worker, answer));
    worker.on('error', (error) => this.ended(worker, outcomeOfCrash(error)));
    worker.on('exit', () => this.ended(worker, outOfMemory));
    return worker;
  }

  private answered(worker: Worker, answer: WorkerAnswer): void {
    if (worker !== this.worker) return;
    if (answer.kind === 'started') {
      this.timer = setTimeout(() => {
        this.ended(worker, outOfTime);
        void worker.terminate();
      }, deadlineMs);
      return;
    }
    this.settle(answer.outcome);
  }

  private ended(worker: Worker, outcome: Outcome): void {
    if (worker !== this.worker) return;
    this.worker = undefined;
    this.settle(outcome);
  }

  private settle(outcome: Outcome): void {
    clearTimeout(this.timer);
    this.current?.resolve(outcome);
    this.current = undefined;
    this.next();
  }
}

function outcomeOfCrash(error: unknown): Outcome {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return outOfMemory;
  return failed(error instanceof Error ? error.message : String(error));
}

// Threads are dear (20 ms and 10 MB each) and hold nothing between evaluations: the process shares these.
const threads = [new EvaluationThread(), new EvaluationThread()];
let turn = 0;

/** Never rejects. */
export function evaluateInWorker(text: string, bindings: Bindings): Promise<Outcome> {
  turn = (turn + 1) % threads.length;
  const thread = threads[turn] ?? new EvaluationThread();
  return thread.evaluate(text, bindings);
}
