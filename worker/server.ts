import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { pino } from 'pino';
import { isSupervised, readWorkerConfig } from '../jobs/config.ts';
import { connect } from '../jobs/store/connect.ts';
import { assertSchema } from '../jobs/store/migrate.ts';
import { loadJobTypes } from '../statemachines/registry.ts';
import { createWorker } from './worker.ts';

const config = readWorkerConfig();
const log = pino({ level: config.logLevel, base: { service: 'worker' } });
const sql = connect(config.database, 'pawl worker');
await assertSchema(sql);

const worker = createWorker({
  config,
  sql,
  // The URL in the configuration is the queue's; its host may be another one than the endpoint's.
  sqs: new SQSClient({ useQueueUrlAsEndpoint: false }),
  sfn: new SFNClient({}),
  registry: await loadJobTypes(config.jobTypeFolders),
  log,
  pid: process.pid,
});


let stopping = false;
const stop = async (): Promise<void> => {
  if (stopping) return;
  stopping = true;
  log.info('stopping');
  await worker.stop();
  await sql.end({ timeout: 2 });
  log.info('stopped');
  process.exit(0);
};
process.on('SIGTERM', () => void stop());
// Under a supervisor a terminal's Ctrl-C reaches the whole group; the supervisor then stops its children in order.
process.on('SIGINT', () => void (isSupervised() ? undefined : stop()));

worker.start();
log.info('ready');
