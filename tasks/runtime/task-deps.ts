import { S3Client } from '@aws-sdk/client-s3';
import { type Logger, pino } from 'pino';
import { readSettingsSecretArn, readTasksConfig, type TasksConfig } from '../../jobs/config.ts';
import type { EffectTiming } from '../../jobs/effect-log.ts';
import { logError } from '../../jobs/log-error.ts';
import { createOneBufferAgents } from '../../jobs/one-buffer-agents.ts';
import { startTracing } from '../../jobs/start-tracing.ts';
import { readSecretSettings } from '../../jobs/secret-settings.ts';
import { connect, type Sql } from '../../jobs/store/connect.ts';
import type { OpenRun } from '../../jobs/store/open-run.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';
import { rememberRuns } from './remember-runs.ts';

/** What tasks stand on; tests give their own. */
export type TaskDeps = {
  readonly config: TasksConfig;
  readonly sql: Sql;
  readonly s3: S3Client;
  readonly http: HttpClient;
  readonly openRun: OpenRun;
  readonly log: Logger;
  /** Only tests are in a hurry. */
  readonly effectTiming?: EffectTiming;
};

let ofThisProcess: Promise<TaskDeps> | undefined;

/**
 * Made at the first event and kept: a Lambda function's connections outlive an invocation, and so do ours. What
 * failed is tried again at the next event.
 */
export function processDeps(): Promise<TaskDeps> {
  ofThisProcess ??= readSecretSettings(readSettingsSecretArn())
    .then(async (secrets) => {
      const config = readTasksConfig(undefined, secrets);
      await startTracing(config.otlpEndpoint, 'pawl-tasks');
      return createDeps(config);
    })
    .catch((error: unknown) => {
      ofThisProcess = undefined;
      throw error;
    });
  return ofThisProcess;
}

function createDeps(config: TasksConfig): TaskDeps {
  return {
    config,
    sql: connect(config.database, 'pawl-tasks'),
    s3: createS3Client(),
    http: createHttpClient(),
    openRun: rememberRuns(),
    log: pino({
      level: config.logLevel,
      base: { service: 'tasks' },
      serializers: { err: logError },
    }),
  };
}

/** Endpoint, region and credentials are the SDK's own business; attempts and times are bounded here. */
export const createS3Client = (): S3Client =>
  new S3Client({
    maxAttempts: 3,
    requestHandler: {
      ...createOneBufferAgents(),
      connectionTimeout: 3_000,
      // Until the answer begins; and silence, also in the middle of a body.
      requestTimeout: 30_000,
      socketTimeout: 20_000,
      throwOnRequestTimeout: true,
    },
    // The bytes are hashed by ourselves, against what the client promised.
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
