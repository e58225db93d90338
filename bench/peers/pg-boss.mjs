import { PgBoss } from 'pg-boss';

const queue = 'bench';

/** Polling, a batch of 20 at a time: the best of three shapes in a trial. */
export async function open(url, steps) {
  const boss = new PgBoss({ connectionString: url, max: 20 });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(queue);
  return {
    enqueue: (n) => boss.send(queue, { n }),
    work: async () => {
      await boss.work(queue, { batchSize: 20, pollingIntervalSeconds: 0.5 }, async (jobs) => {
        await Promise.all(
          jobs.map(async ({ data: { n } }) => {
            for (let step = 1; step <= 5; step += 1) await steps.commit(n, step);
            steps.end(n);
          }),
        );
      });
    },
    close: () => boss.stop({ graceful: false }),
  };
}
