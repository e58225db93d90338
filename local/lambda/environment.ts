import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { EnvironmentData, EnvironmentMessage, InvokeMessage } from './environment-messages.ts';

export type EnvironmentAnswer =
  | { readonly kind: 'done'; readonly failed: boolean; readonly payload: string }
  /** The environment ended before it answered: not the function's own error. */
  | { readonly kind: 'lost'; readonly reason: string };

const THREAD = fileURLToPath(new URL('environment-thread.ts', import.meta.url));

/** The host's side of one thread that runs functions. */
export class Environment {
  /** Settles when the handlers are loaded, or the thread ended before. */
  readonly ready: Promise<void>;
  /** Settles, with the reason, when the thread has ended. */
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  /** By invocation; no Map, for what is in flight is to be collected young (docs/decisions/collected-young.md). */
  readonly #waiting: Record<number, (answer: EnvironmentAnswer) => void> = {};
  #inFlight = 0;

  constructor(data: EnvironmentData) {
    this.#worker = new Worker(THREAD, { workerData: data });
    const isReady = Promise.withResolvers<void>();
    const hasEnded = Promise.withResolvers<string>();
    this.ready = isReady.promise;
    this.ended = hasEnded.promise;
    this.#worker.on('message', (message: EnvironmentMessage) => {
      if (message.kind === 'ready') isReady.resolve();
      else this.#settle(message.invocation, message);
    });
    let reason = 'the environment exited';
    this.#worker.on('error', (error) => {
      reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    });
    this.#worker.on('exit', () => {
      for (const invocation of Object.keys(this.#waiting)) {
        this.#settle(Number(invocation), { kind: 'lost', reason });
      }
      isReady.resolve();
      hasEnded.resolve(reason);
    });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  run(message: InvokeMessage): Promise<EnvironmentAnswer> {
    return new Promise((resolve) => {
      this.#waiting[message.invocation] = resolve;
      this.#inFlight += 1;
      this.#worker.postMessage(message, []);
    });
  }

  /** Its answer is no longer waited for. */
  abandon(invocation: number): void {
    this.#settle(invocation, { kind: 'lost', reason: 'nobody waits for it' });
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(invocation: number, answer: EnvironmentAnswer): void {
    const answerTo = this.#waiting[invocation];
    if (answerTo === undefined) return;
    delete this.#waiting[invocation];
    this.#inFlight -= 1;
    answerTo(answer);
  }
}
