import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';

const queueName = 'bench';
const name = 'pawl-bench';

/** A durable step for each of the application's writes; a queue that is polled every 5 ms with 20 jobs at once. */
export async function open(url, steps) {
  DBOS.setConfig({ name, systemDatabaseUrl: url, systemDatabasePoolSize: 20, logLevel: 'error' });
  DBOS.registerWorkflow(
    async (n) => {
      for (let step = 1; step <= 5; step += 1) {
        await DBOS.runStep(() => steps.commit(n, step).then(() => step), { name: `step${step}` });
      }
      steps.end(n);
    },
    { name: 'five' },
  );
  await DBOS.migrate(url);
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePoolSize: 20,
    applicationName: name,
  });
  return {
    enqueue: (n) => client.enqueue({ workflowName: 'five', queueName }, n),
    work: async () => {
      await DBOS.launch();
      await DBOS.registerQueue(queueName, { workerConcurrency: 20, minPollingIntervalMs: 5 });
    },
    close: async () => {
      await client.destroy();
      await DBOS.shutdown();
    },
  };
}
