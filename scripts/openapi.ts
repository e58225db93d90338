// `npm run openapi`: writes docs/openapi.json from the routes, and from it client/api-types.ts.
// test/api/openapi.test.ts compares both with the running server.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { pino } from 'pino';
import { createApp } from '../api/app.ts';
import { createOperations } from '../api/operations.ts';
import { defaultLoadLimits } from '../api/shed-load.ts';
import { connect } from '../jobs/store/connect.ts';
import { clientTypes } from './client-types.ts';

const write = (file: string, text: string): void => {
  writeFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), text);
  console.log(`written: ${file}`);
};

// Nothing is called: the routes are built, and described.
const url = 'http://127.0.0.1';
const database = {
  url: 'postgres://127.0.0.1/none',
  poolSize: 1,
  statementTimeoutMs: 1,
  lockTimeoutMs: 1,
};
const sql = connect(database, 'pawl openapi');
const log = pino({ level: 'silent' });
const app = await createApp({
  sql,
  s3: new S3Client({ region: 'us-east-1' }),
  operations: createOperations(
    {
      sfn: new SFNClient({ region: 'us-east-1' }),
      sqs: new SQSClient({ region: 'us-east-1' }),
      queues: {
        jobRequestsUrl: url,
        jobRequestsDlqUrl: url,
        executionEventsUrl: url,
        executionEventsDlqUrl: url,
      },
      eventBridge: new EventBridgeClient({ region: 'us-east-1' }),
      eventArchive: undefined,
      stateMachineArnPrefix: '',
    },
    { sql, log },
  ),
  relay: { publishSoon: () => undefined },
  registry: new Map(),
  payloadBucket: '',
  callbackAllowPrivate: false,
  log,
  clock: () => new Date(),
  loadLimits: defaultLoadLimits,
});
await app.ready();
const document = `${JSON.stringify(app.swagger(), null, 2)}\n`;
write('docs/openapi.json', document);
write('client/api-types.ts', clientTypes(JSON.parse(document)));
await app.close();
