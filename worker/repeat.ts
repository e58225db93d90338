import type { Logger } from 'pino';

export type Loop = {
  /** No further turn begins; does not wait for the one under way. May be called twice. */
  end(): void;
  /** The same, and resolves when the turn under way has ended. */
  stop(): Promise<void>;
};

/**
 * Does `turn` every `intervalMs`, never twice at the same time. A turn that gives `again` is followed at once by
 * the next: there is more to do. A failure is logged and the loop goes on.
 */
export function repeat(
  name: string,
  intervalMs: number,
  turn: () => Promise<'again' | void>,
  log: Logger,
): Loop {
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const schedule = (afterMs: number): void => {
    if (ended) return;
    timer = setTimeout(() => {
      running = run();
    }, afterMs);
  };
  const run = async (): Promise<void> => {
    let next: 'again' | void = undefined;
    try {
      next = await turn();
    } catch (error) {
      log.error({ err: error, loop: name }, 'a turn failed');
    }
    schedule(next === 'again' ? 0 : intervalMs);
  };
  schedule(0);
  const end = (): void => {
    ended = true;
    clearTimeout(timer);
  };
  return {
    end,
    async stop() {
      end();
      await running;
    },
  };
}
