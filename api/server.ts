// The API's process: reads the configuration, listens, and stops in good order.
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { pino } from 'pino';
import { isSupervised, readApiConfig, readSettingsSecretArn } from '../jobs/config.ts';
import { withDirectSqs } from '../jobs/direct-aws-calls.ts';
import { logError } from '../jobs/log-error.ts';
import { createRelay } from '../jobs/relay.ts';
import { readSecretSettings } from '../jobs/secret-settings.ts';
import { startTracing } from '../jobs/start-tracing.ts';
import { connect } from '../jobs/store/connect.ts';
import { hearOfEndedJobs } from '../jobs/store/ended-jobs.ts';
import { assertSchema } from '../jobs/store/migrate.ts';
import { loadJobTypes } from '../statemachines/registry.ts';
import { defaultLoadLimits } from './shed-load.ts';
import { closeApp } from './close-app.ts';
import { presigningSettings } from './multipart-upload.ts';
import { createApp } from './app.ts';
import { createOperations } from './operations.ts';
const config = readApiConfig(undefined, await readSecretSettings(readSettingsSecretArn()));
const log = pino({
  level: config.logLevel,
  base: { service: 'api' },
  serializers: { err: logError },
});
const tracing = await startTracing(config.otlpEndpoint, 'pawl-api');
const sql = connect(config.database, 'pawl api');
await assertSchema(sql);
const endedJobs = hearOfEndedJobs(config.database, 'pawl api waits', log);

const requestHandler = { connectionTimeout: 2_000, requestTimeout: 5_000 };
// The URL in the configuration is the queue's; its host may be another one than the endpoint's.
const sqs = withDirectSqs(new SQSClient({ useQueueUrlAsEndpoint: false, requestHandler }));
const relay = createRelay({
  sql,
  sqs,
  jobRequestsUrl: config.queues.jobRequestsUrl,
  log,
});
const readiness = { isDraining: false };
const app = await createApp(
  {
    sql,
    s3: new S3Client({ requestHandler, ...presigningSettings }),
    relay,
    endedJobs,
    registry: await loadJobTypes(config.jobTypeFolders),
    payloadBucket: config.payloadBucket,
    callbackAllowPrivate: config.callbackAllowPrivate,
    corsOrigins: config.corsOrigins,
    paymentWebhookSecret: config.paymentWebhookSecret,
    log,
    clock: () => new Date(),
    operations: createOperations(
      {
        sfn: new SFNClient({ requestHandler }),
        sqs,
        queues: config.queues,
        eventBridge: new EventBridgeClient({ requestHandler }),
        eventArchive: config.eventArchive,
        stateMachineArnPrefix: config.stateMachineArnPrefix,
      },
      { sql, log },
    ),

    loadLimits: defaultLoadLimits,
  },
  readiness,
);

let stopping = false;
const stop = async (): Promise<void> => {
  if (stopping) return;
  stopping = true;
  log.info('stopping');
  readiness.isDraining = true;
  await closeApp(app);
  await relay.drain();
  await endedJobs.close();
  await sql.end({ timeout: 2 });
  await tracing.stop();
  log.info('stopped');
  process.exit(0);
};
process.on('SIGTERM', () => void stop());
// Under a supervisor a terminal's Ctrl-C reaches the whole group; the supervisor then stops its children in order.
process.on('SIGINT', () => void (isSupervised() ? undefined : stop()));

const address = await app.listen({ host: config.host, port: config.port });
log.info({ address }, 'ready');
