import { S3Client } from '@aws-sdk/client-s3';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { pino } from 'pino';
import { isSupervised, readSettingsSecretArn, readWorkerConfig } from '../jobs/config.ts';
import { withDirectSqs, withDirectStepFunctions } from '../jobs/direct-aws-calls.ts';
import { stepFunctionsClient } from '../jobs/step-functions-calls.ts';
import { startTracing } from '../jobs/start-tracing.ts';
import { logError } from '../jobs/log-error.ts';
import { readSecretSettings } from '../jobs/secret-settings.ts';
import { connect } from '../jobs/store/connect.ts';
import { assertSchema } from '../jobs/store/migrate.ts';
import { loadJobTypes } from '../statemachines/registry.ts';
import { startEventWork } from './event-work.ts';
import { retentionLoop } from './retention-loop.ts';
import { serveMetrics } from './serve-metrics.ts';
import { createWorkerMetrics } from './worker-metrics.ts';
import { createWorker } from './worker.ts';

const config = readWorkerConfig(undefined, await readSecretSettings(readSettingsSecretArn()));
const log = pino({
  level: config.logLevel,
  base: { service: 'worker' },
  serializers: { err: logError },
});
const tracing = await startTracing(config.otlpEndpoint, 'pawl-worker');
const sql = connect(config.database, 'pawl worker');
await assertSchema(sql);

/** Every call ends by itself: a hung server must open the circuit. */
const requestHandler = {
  connectionTimeout: 2_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
};

// The URL in the configuration is the queue's; its host may be another one than the endpoint's.
const sqs = withDirectSqs(new SQSClient({ useQueueUrlAsEndpoint: false, requestHandler }));
const metrics = createWorkerMetrics({ sql, sqs, queues: config.queues, log });
const worker = createWorker({
  config,
  sql,
  sqs,
  sfn: withDirectStepFunctions(new SFNClient(stepFunctionsClient)),
  registry: await loadJobTypes(config.jobTypeFolders),
  metrics,
  log,
  pid: process.pid,
});
const { host, metricsPort } = config;
const metricsServer =
  metricsPort === 0
    ? undefined
    : await serveMetrics(metrics.register, { host, port: metricsPort, log });

let stopping = false;
const stop = async (): Promise<void> => {
  if (stopping) return;
  stopping = true;
  log.info('stopping');
  await Promise.all([worker.stop(), retention?.stop(), eventWork?.stop(config.shutdownGraceMs)]);
  await metricsServer?.close();
  await sql.end({ timeout: 2 });
  await tracing.stop();
  log.info('stopped');
  process.exit(0);
};
process.on('SIGTERM', () => void stop());
// Under a supervisor a terminal's Ctrl-C reaches the whole group; the supervisor then stops its children in order.
process.on('SIGINT', () => void (isSupervised() ? undefined : stop()));

worker.start();
const eventWork =
  config.events === undefined
    ? undefined
    : startEventWork({
        config: config.events,
        queues: config.queues,
        sql,
        sqs,
        eventBridge: new EventBridgeClient({ requestHandler }),
        log,
      });
const retention =
  config.retention === undefined
    ? undefined
    : retentionLoop({ sql, s3: new S3Client({ requestHandler }), policy: config.retention, log });
log.info('ready');
