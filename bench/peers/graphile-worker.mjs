import { Logger, makeWorkerUtils, run } from 'graphile-worker';

const logger = new Logger(() => () => undefined);

/** Its defaults, with 20 jobs at once. */
export async function open(url, steps) {
  const utils = await makeWorkerUtils({ connectionString: url, logger, maxPoolSize: 20 });
  await utils.migrate();
  let runner;
  return {
    enqueue: (n) => utils.addJob('bench', { n }),
    work: async () => {
      runner = await run({
        connectionString: url,
        concurrency: 20,
        maxPoolSize: 20,
        noHandleSignals: true,
        logger,
        taskList: {
          bench: async ({ n }) => {
            for (let step = 1; step <= 5; step += 1) await steps.commit(n, step);
            steps.end(n);
          },
        },
      });
    },
    close: async () => {
      await runner?.stop();
      await utils.release();
    },
  };
}
