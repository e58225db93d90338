import { fileURLToPath } from 'node:url';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { pino } from 'pino';
import type { AppDeps } from '../../api/api.ts';
import { createOperations } from '../../api/operations.ts';
import { defaultLoadLimits } from '../../api/shed-load.ts';
import type { TenantId } from '../../jobs/ids.ts';
import { createApiKey, ensureTenant, type KeyScope } from '../../jobs/store/api-keys.ts';
import type { Sql } from '../../jobs/store/connect.ts';
import type { JobType } from '../../statemachines/job-type.ts';
import type { RegisteredJobType, Registry } from '../../statemachines/registry.ts';
import echo from './job-types/echo/job-type.ts';
import strict from './job-types/strict/job-type.ts';

export const jobTypeFolder = fileURLToPath(new URL('job-types', import.meta.url));
export const bucket = 'pawl-payloads';

/** An address at which no AWS service answers. */
const nowhere = {
  endpoint: 'http://127.0.0.1:9',
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};

/** What the API is built from where only its database is real. */
export const appDeps = (sql: Sql, relay: AppDeps['relay']): AppDeps => ({
  sql,
  s3: new S3Client(nowhere),
  operations: createOperations(
    {
      sfn: new SFNClient(nowhere),
      sqs: new SQSClient(nowhere),
      queues: {
        jobRequestsUrl: 'http://127.0.0.1:9/000000000000/job-requests',
        jobRequestsDlqUrl: 'http://127.0.0.1:9/000000000000/job-requests-dlq',
        executionEventsUrl: 'http://127.0.0.1:9/000000000000/execution-events',
        executionEventsDlqUrl: 'http://127.0.0.1:9/000000000000/execution-events-dlq',
      },
      eventBridge: new EventBridgeClient(nowhere),
      eventArchive: undefined,
      stateMachineArnPrefix: 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-',
    },
    { sql, log: pino({ level: 'silent' }) },
  ),
  relay,
  registry: registryOf([echo, strict]),
  payloadBucket: bucket,
  callbackAllowPrivate: true,
  log: pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }),
  clock: () => new Date(),
  loadLimits: defaultLoadLimits,
});

/** A registry of types whose state machines are never started. */
export const registryOf = (types: readonly JobType[]): Registry =>
  new Map(
    types.map((type): [string, RegisteredJobType] => [
      type.type,
      { ...type, definition: '{}', folder: jobTypeFolder, taskFiles: [] },
    ]),
  );

/** A key of a tenant, made with it where it is new; `null` makes an operator's key. */
export async function keyFor(
  sql: Sql,
  tenantId: string | null,
  scopes: readonly KeyScope[] = tenantId === null ? ['ops'] : ['jobs:read', 'jobs:write'],
): Promise<string> {
  if (tenantId !== null) await ensureTenant(sql, tenantId as TenantId, tenantId);
  const created = await createApiKey(sql, {
    tenantId: tenantId as TenantId | null,
    scopes,
    name: 'test',
  });
  return created.key;
}
