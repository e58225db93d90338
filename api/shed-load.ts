import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Api } from './api.ts';
import { Problem } from './problems.ts';

export type LoadLimits = {
  /** Requests that are being worked on at the same time; held ones and streams do not count. */
  readonly maxInFlight: number;
  /** The mean delay of the event loop, in each of the last three half seconds: one long pause is not overload. */
  readonly maxLoopDelayMs: number;
};

export const defaultLoadLimits: LoadLimits = { maxInFlight: 1_000, maxLoopDelayMs: 500 };

/** Whether this process has more to do than it can: then it takes nothing new, before anything is promised. */
export type Load = { isTooHigh(): boolean };

const sampleMs = 500;
const samplesOverLimit = 3;
const monitorResolutionMs = 20;

/**
 * Refuses new requests with 503 and Retry-After while the process has too much to do. To be added before
 * authentication. Routes without a scope tell about the process itself and are always answered; `countHeld` says how
 * many requests only wait, which costs next to nothing.
 */
export function shedLoad(app: Api, limits: LoadLimits, countHeld: () => number): Load {
  const isLoopDelayed = watchLoopDelay(app, limits.maxLoopDelayMs);
  let open = 0;
  const isTooHigh = (): boolean => open - countHeld() > limits.maxInFlight || isLoopDelayed();
  app.addHook('onRequest', (request, reply, done) => {
    open += 1;
    reply.raw.once('close', () => void (open -= 1));
    if (request.routeOptions.config.scope === undefined || !isTooHigh()) {
      done();
      return;
    }
    // Not all at the same moment again.
    const retryAfter = String(1 + Math.floor(Math.random() * 5));
    const detail = 'nothing was promised; try again';
    done(new Problem('overloaded', { detail }, { 'retry-after': retryAfter }));
  });
  return { isTooHigh };
}

function watchLoopDelay(app: Api, maxDelayMs: number): () => boolean {
  const monitor = monitorEventLoopDelay({ resolution: monitorResolutionMs });
  let overLimit = 0;
  const sample = (): void => {
    // What is recorded is the time between two ticks of the monitor's own timer; NaN where there was none.
    const isOver = monitor.mean / 1e6 - monitorResolutionMs > maxDelayMs;
    overLimit = isOver ? overLimit + 1 : 0;
    monitor.reset();
  };
  let sampling: NodeJS.Timeout | undefined;
  // From then on: a process that starts has long pauses, and nothing to refuse.
  app.addHook('onListen', async () => {
    monitor.enable();
    sampling = setInterval(sample, sampleMs).unref();
  });
  app.addHook('onClose', async () => {
    clearInterval(sampling);
    monitor.disable();
  });
  return () => overLimit >= samplesOverLimit;
}
