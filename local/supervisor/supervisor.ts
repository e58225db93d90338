import { setTimeout as delay } from 'node:timers/promises';
import type { RunningService, Service } from './service.ts';

export interface SupervisorEvents {
  /** The pids have changed. */
  changed(pids: ReadonlyMap<string, number>): void;
  /** Something a person should know, in one line. */
  say(line: string): void;
}

/** A process that lived this long is started again at once; one that dies young is given time. */
const HEALTHY_LIFE_MS = 10_000;
const FIRST_BACKOFF_MS = 200;
export const LONGEST_BACKOFF_MS = 5_000;

/** Runs services until it is stopped, starting those again that end. */
export class Supervisor {
  readonly #events: SupervisorEvents;
  readonly #longestBackoffMs: number;
  readonly #running = new Map<string, RunningService>();
  readonly #starting = new Set<Promise<RunningService>>();
  readonly #stopping = new AbortController();

  constructor(events: SupervisorEvents, longestBackoffMs = LONGEST_BACKOFF_MS) {
    this.#events = events;
    this.#longestBackoffMs = longestBackoffMs;
  }

  /** Starts the service and resolves when it is ready; from then on it is kept running. */
  async start(service: Service): Promise<void> {
    void this.#keepRunning(service, await this.#startOnce(service));
  }

  /** Stops the services named, each after the one before has ended. None can be started any more. */
  async stop(order: readonly { readonly name: string; readonly graceMs: number }[]): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#starting);
    for (const { name, graceMs } of order) await this.#running.get(name)?.stop(graceMs);
  }

  async #startOnce(service: Service): Promise<RunningService> {
    this.#stopping.signal.throwIfAborted();
    const starting = service.start(this.#stopping.signal);
    this.#starting.add(starting);
    try {
      const running = await starting;
      this.#running.set(service.name, running);
      this.#events.changed(new Map([...this.#running].map(([name, { pid }]) => [name, pid])));
      return running;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async #keepRunning(service: Service, first: RunningService): Promise<void> {
    let running = first;
    let backoffMs = 0;
    for (;;) {
      const startedAt = performance.now();
      const how = await running.ended;
      if (this.#stopping.signal.aborted) return;
      if (performance.now() - startedAt > HEALTHY_LIFE_MS) backoffMs = 0;
      this.#events.say(`${service.name} ended (${how}); starting it again`);
      const again = await this.#startAgain(service, backoffMs);
      if (!again) return;
      running = again;
      backoffMs = this.#longer(backoffMs);
    }
  }

  /** Undefined when the supervisor was stopped meanwhile. */
  async #startAgain(service: Service, firstBackoffMs: number): Promise<RunningService | undefined> {
    for (let backoffMs = firstBackoffMs; ; backoffMs = this.#longer(backoffMs)) {
      if (!(await this.#wait(backoffMs))) return undefined;
      try {
        return await this.#startOnce(service);
      } catch (error) {
        if (this.#stopping.signal.aborted) return undefined;
        this.#events.say(describe(error));
      }
    }
  }

  #longer(backoffMs: number): number {
    return Math.min(this.#longestBackoffMs, Math.max(FIRST_BACKOFF_MS, backoffMs * 2));
  }

  async #wait(ms: number): Promise<boolean> {
    await delay(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    return !this.#stopping.signal.aborted;
  }
}

const describe = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
