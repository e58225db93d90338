import type { S3Client } from '@aws-sdk/client-s3';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Logger } from 'pino';
import type { CheckRequest } from '../jobs/check-request.ts';
import type { Relay } from '../jobs/relay.ts';
import type { Sql } from '../jobs/store/connect.ts';
import type { EndedJobs } from '../jobs/store/ended-jobs.ts';
import type { InsertJob } from '../jobs/submit.ts';
import type { Registry } from '../statemachines/registry.ts';
import type { JobWatch } from './job-watch.ts';
import type { OperationsDeps } from './operations.ts';
import type { RefusalLog } from './refusal-log.ts';
import type { LoadLimits } from './shed-load.ts';

/** Fastify with our schemas as types: `request.body` has the type of `schema.body`. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** What the API works with; nothing in it is made by the API itself. */
export type AppDeps = {
  readonly sql: Sql;
  readonly s3: S3Client;
  readonly relay: Pick<Relay, 'publishSoon'>;
  /** Default: who waits for a job sees its end by looking. */
  readonly endedJobs?: EndedJobs;
  readonly registry: Registry;
  readonly payloadBucket: string;
  /** Whether completion webhooks may go to private and loopback addresses. */
  readonly callbackAllowPrivate: boolean;
  /** Of the payment provider's webhooks; undefined: none is believed. */
  readonly paymentWebhookSecret?: string | undefined;
  /** Of pages that may call the API (CORS); default: none. */
  readonly corsOrigins?: readonly string[] | undefined;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly operations: OperationsDeps;
  readonly loadLimits: LoadLimits;
};

export type RouteDeps = AppDeps & {
  readonly checkRequest: CheckRequest;
  readonly insertJob: InsertJob;
  readonly refusals: RefusalLog;
  readonly watch: JobWatch;
};
