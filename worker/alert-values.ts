import type { Logger } from 'pino';
import { alertRules } from '../jobs/alert-rules.ts';
import type { Figures } from '../jobs/operations-figures.ts';
import { type Loop, repeat } from './repeat.ts';

const intervalMs = 60_000;

/** By the rules' names; a value that is not known now is left out. */
export const alertValues = (figures: Figures): Record<string, number> =>
  Object.fromEntries(
    alertRules.flatMap(({ name, read }) => {
      const value = read(figures);
      return value === null ? [] : [[name, value]];
    }),
  );

/**
 * Logs the value of every alert rule once a minute. CloudWatch makes metrics of the line (infra/operations-stack.ts),
 * and takes a minute without one for a worker that is gone.
 */
export const alertValuesLoop = (read: () => Promise<Figures>, log: Logger): Loop =>
  repeat(
    'alert values',
    intervalMs,
    async () => {
      log.info({ alerts: alertValues(await read()) }, 'alert values');
    },
    log,
  );
