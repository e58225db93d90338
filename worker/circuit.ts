import type { Logger } from 'pino';
import { repeat, type Loop } from './repeat.ts';

/** What stops receiving while the database or Step Functions fails, so that an outage costs no receive counts. */
export type Circuit = {
  /** Tells of a call that failed because of what is around us. */
  failed(code: string): void;
  succeeded(): void;
  readonly open: boolean;
  stop(): Promise<void>;
};

type Options = {
  /** Consecutive failures after which it opens. */
  readonly threshold: number;
  readonly probeIntervalMs: number;
  /** One cheap call to each thing that may be down; resolves when all answer. */
  readonly probe: () => Promise<void>;
  readonly onOpen: () => void;
  readonly onClose: () => void;
  readonly log: Logger;
};

/** Closed at first. Open, it probes alone, one probe at a time, and closes with the first that succeeds. */
export function createCircuit(options: Options): Circuit {
  const { threshold, probeIntervalMs, probe, onOpen, onClose, log } = options;
  let failures = 0;
  let probing: Loop | undefined;

  const tryToClose = async (): Promise<void> => {
    try {
      await probe();
    } catch (error) {
      log.warn({ err: error }, 'circuit stays open');
      return;
    }
    failures = 0;
    const ended = probing;
    probing = undefined;
    log.info('circuit closed');
    onClose();
    ended?.end();
  };
  return {
    failed(code) {
      failures += 1;
      if (failures < threshold || probing !== undefined) return;
      log.error({ code, failures }, 'circuit opened: receiving stops');
      onOpen();
      probing = repeat('circuit probe', probeIntervalMs, tryToClose, log);
    },
    succeeded() {
      failures = 0;
    },
    get open() {
      return probing !== undefined;
    },
    async stop() {
      await probing?.stop();
    },
  };
}
