// The only file that reads process.env. The AWS SDK reads its own variables (AWS_REGION, AWS_ENDPOINT_URL_*) itself.
import { ConfigReader, type Variable } from './config-reader.ts';
import type { DatabaseConfig } from './store/connect.ts';

const policies = ['repeat', 'lookup', 'hold'] as const;
/** What may be done when the outcome of a provider call is unknown (docs/decisions/effect-log.md). */
export type EffectPolicy = (typeof policies)[number];

export type QueueConfig = {
  readonly jobRequestsUrl: string;
  readonly jobRequestsDlqUrl: string;
  readonly executionEventsUrl: string;
  readonly executionEventsDlqUrl: string;
  /** Of the built-in subscribers of events; undefined where they are not run. */
  readonly searchProjectionUrl?: string | undefined;
  readonly searchProjectionDlqUrl?: string | undefined;
  readonly notificationsUrl?: string | undefined;
  readonly notificationsDlqUrl?: string | undefined;
};

/** Where events are kept to be replayed. */
export type EventArchive = {
  readonly archiveArn: string;
  readonly busName: string;
};

export type ApiConfig = {
  readonly otlpEndpoint?: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly database: DatabaseConfig;
  readonly queues: QueueConfig;
  /** Whether completion webhooks may go to private and loopback addresses. */
  readonly callbackAllowPrivate: boolean;
  /** Of pages that may call the API (CORS). */
  readonly corsOrigins: readonly string[];
  readonly payloadBucket: string;
  /** `whsec_…` with which the payment provider signs its webhooks; undefined: none is believed. */
  readonly paymentWebhookSecret: string | undefined;
  /** Undefined: events cannot be replayed. */
  readonly eventArchive: EventArchive | undefined;
  readonly stateMachineArnPrefix: string;
  readonly jobTypeFolders: readonly string[];
};

export type WorkerConfig = {
  readonly otlpEndpoint?: string | undefined;
  readonly host: string;
  readonly logLevel: string;
  readonly database: DatabaseConfig;
  readonly queues: QueueConfig;
  readonly stateMachineArnPrefix: string;
  /** Of every state machine; undefined where executions run the newest definition. */
  readonly stateMachineAlias?: string | undefined;
  readonly jobTypeFolders: readonly string[];
  /** Messages worked on at the same time by one process; 0: it receives no job requests. */
  readonly dispatchConcurrency: number;
  /** StartExecution calls a second, below the account's refill rate (AWS: 150 to 300). */
  readonly startsPerSecond: number;
  /** Whether completion webhooks may go to private and loopback addresses. */
  readonly callbackAllowPrivate: boolean;
  readonly shutdownGraceMs: number;
  readonly reconcileIntervalMs: number;
  /** 0: the worker's metrics are not served. */
  readonly metricsPort: number;
  readonly retention?: RetentionConfig;
  readonly events?: EventsConfig;
};

export type EventsConfig = {
  readonly busName: string;
  /** For notifications; undefined where their queue is. */
  readonly email: EmailConfig | undefined;
};

/** Of the dispatcher as a Lambda function. */
export type DispatcherConfig = Pick<
  WorkerConfig,
  'logLevel' | 'database' | 'stateMachineArnPrefix' | 'stateMachineAlias' | 'startsPerSecond'
> & {
  readonly jobRequestsUrl: string;
  /** How long an execution of a job type may take, seconds: a function's package has no registry. */
  readonly jobTypeTimeouts: ReadonlyMap<string, number>;
};

/** How long things are kept, in days; 0: for ever. */
export type RetentionConfig = {
  readonly jobDays: number;
  readonly effectDays: number;
  readonly auditDays: number;
  /** Where jobs go before they are removed; undefined: nowhere. */
  readonly archiveBucket: string | undefined;
};

export type WebhookConfig = {
  readonly url: string;
  /** `whsec_` + base64: Standard Webhooks' symmetric secret. */
  readonly secret: string;
  readonly policy: EffectPolicy;
};

export type TasksConfig = {
  readonly otlpEndpoint?: string | undefined;
  readonly logLevel: string;
  readonly database: DatabaseConfig;
  readonly payloadBucket: string;
  readonly webhook: WebhookConfig;
  readonly payment: PaymentConfig;
  readonly email: EmailConfig;
};

/** docs/job-types/order-settlement.md says what is asked of the provider. */
export type PaymentConfig = {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly policy: EffectPolicy;
  /** This API as the provider reaches it; its webhooks go to `<callbackBaseUrl>/callbacks/<id>`. */
  readonly callbackBaseUrl: string;
  /** How long a payment is waited for before it is voided. */
  readonly windowSeconds: number;
};

export type EmailConfig = {
  readonly smtpUrl: string;
  readonly from: string;
  readonly policy: EffectPolicy;
};

type Environment = Readonly<Record<string, string | undefined>>;

const database = (read: ConfigReader, poolSize: number): DatabaseConfig => ({
  url: read.url(
    'DATABASE_URL',
    'the PostgreSQL server, postgres://user:password@host:port/database',
  ),
  poolSize: read.integer(
    'DATABASE_POOL_SIZE',
    'connections of this process; the API has one more',
    poolSize,
    {
      min: 1,
      max: 200,
    },
  ),
  statementTimeoutMs: read.integer(
    'DATABASE_STATEMENT_TIMEOUT_MS',
    'how long one statement may run',
    10_000,
    { min: 100, max: 600_000 },
  ),
  lockTimeoutMs: read.integer(
    'DATABASE_LOCK_TIMEOUT_MS',
    'how long one statement may wait for a lock',
    5_000,
    { min: 100, max: 600_000 },
  ),
  authentication: read.oneOf(
    'DATABASE_AUTHENTICATION',
    'password: the one in DATABASE_URL; iam: Amazon RDS, by tokens made from AWS credentials',
    ['password', 'iam'],
    'password',
  ),
});

const queues = (read: ConfigReader): QueueConfig => ({
  jobRequestsUrl: read.url('JOB_REQUESTS_QUEUE_URL', 'the SQS queue job-requests'),
  jobRequestsDlqUrl: read.url('JOB_REQUESTS_DLQ_URL', 'its dead-letter queue'),
  executionEventsUrl: read.url('EXECUTION_EVENTS_QUEUE_URL', 'the SQS queue execution-events'),
  executionEventsDlqUrl: read.url('EXECUTION_EVENTS_DLQ_URL', 'its dead-letter queue'),
  searchProjectionUrl: read.optional(
    'SEARCH_PROJECTION_QUEUE_URL',
    'the SQS queue of events that the search projection is made from; without it there is none',
  ),
  searchProjectionDlqUrl: read.optional('SEARCH_PROJECTION_DLQ_URL', 'its dead-letter queue'),
  notificationsUrl: read.optional(
    'NOTIFICATIONS_QUEUE_URL',
    'the SQS queue of events that ask for a mail; without it none is sent, with it SMTP_URL is needed',
  ),
  notificationsDlqUrl: read.optional('NOTIFICATIONS_DLQ_URL', 'its dead-letter queue'),
});

const stateMachines = (read: ConfigReader) => ({
  stateMachineArnPrefix: stateMachineArnPrefix(read),
  jobTypeFolders: read
    .text('JOB_TYPE_DIRS', 'more folders of job types, separated by colons', '')
    .split(':')
    .filter((folder) => folder !== ''),
});

const stateMachineArnPrefix = (read: ConfigReader): string =>
  read.text(
    'STATE_MACHINE_ARN_PREFIX',
    'what a job type is put behind, arn:aws:states:<region>:<account>:stateMachine:pawl-',
  );

const starts = (read: ConfigReader) => ({
  stateMachineAlias: read.optional(
    'STATE_MACHINE_ALIAS',
    'the alias of the state machines that executions are started by',
  ),
  startsPerSecond: read.integer('STARTS_PER_SECOND', 'StartExecution calls a second', 250, {
    min: 1,
    max: 10_000,
  }),
});

const otlpEndpoint = (read: ConfigReader): string | undefined =>
  read.optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'where traces are sent, such as http://127.0.0.1:4318; without it none are made',
  );

const logLevel = (read: ConfigReader): string =>
  read.oneOf(
    'LOG_LEVEL',
    'the least level that is logged',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'info',
  );

function read<Config>(env: Environment, sections: (reader: ConfigReader) => Config): Config {
  const reader = new ConfigReader(env);
  const config = sections(reader);
  reader.finish();
  return config;
}

const callbackAllowPrivate = (reader: ConfigReader): boolean =>
  reader.flag(
    'CALLBACK_ALLOW_PRIVATE',
    'whether completion webhooks may go to private and loopback addresses',
  );

const busName = (reader: ConfigReader): string =>
  reader.text('EVENT_BUS_NAME', 'the EventBridge bus that events go to', 'default');

function eventArchive(reader: ConfigReader): EventArchive | undefined {
  const archiveArn = reader.optional(
    'EVENT_ARCHIVE_ARN',
    'the archive of that bus, arn:aws:events:<region>:<account>:archive/<name>; without it there are no replays',
  );
  const bus = busName(reader);
  return archiveArn === undefined ? undefined : { archiveArn, busName: bus };
}

const apiSections = (reader: ConfigReader): ApiConfig => ({
  otlpEndpoint: otlpEndpoint(reader),
  host: reader.text('HOST', 'the address that is listened on', '127.0.0.1'),
  port: reader.integer('PORT', 'the port of the API, 0 = any free one', 3000, {
    min: 0,
    max: 65_535,
  }),
  logLevel: logLevel(reader),
  database: database(reader, 10),
  queues: queues(reader),
  callbackAllowPrivate: callbackAllowPrivate(reader),
  corsOrigins: reader.list(
    'CORS_ORIGINS',
    'origins of pages that may call the API, such as https://app.example.com',
    /^https?:\/\/[^/\s]+$/,
    '',
  ),
  payloadBucket: reader.text('PAYLOAD_BUCKET', 'the S3 bucket of payloads'),
  paymentWebhookSecret: reader.optional(
    'PAYMENT_WEBHOOK_SECRET',
    'whsec_… with which the payment provider signs its webhooks; without it none is believed',
  ),
  eventArchive: eventArchive(reader),
  ...stateMachines(reader),
});

const days = (reader: ConfigReader, name: string, means: string, fallback: number): number =>
  reader.integer(name, `${means}; 0 = kept for ever`, fallback, { min: 0, max: 36_500 });

const retention = (reader: ConfigReader): RetentionConfig => ({
  jobDays: days(
    reader,
    'JOB_RETENTION_DAYS',
    'days after which a finished job is removed with its events and messages',
    90,
  ),
  effectDays: days(
    reader,
    'EFFECT_RETENTION_DAYS',
    'days after which a done effect is forgotten, when its job is gone: the same key would be called again',
    400,
  ),
  auditDays: days(
    reader,
    'AUDIT_RETENTION_DAYS',
    'days after which what operators did and what was refused is removed',
    400,
  ),
  archiveBucket: reader.optional(
    'ARCHIVE_BUCKET',
    'the S3 bucket that jobs are written to as JSONL before they are removed',
  ),
});

const email = (reader: ConfigReader): EmailConfig => ({
  smtpUrl: reader.url('SMTP_URL', 'the mail server, smtp(s)://user:password@host:port'),
  from: reader.text('EMAIL_FROM', 'the sender of mails', 'Shop <shop@example.com>'),
  policy: reader.oneOf(
    'EMAIL_POLICY',
    'what is done when it is unknown whether a mail was taken; SMTP cannot be asked',
    ['hold', 'repeat'],
    'hold',
  ),
});

const events = (reader: ConfigReader, { notificationsUrl }: QueueConfig): EventsConfig => ({
  busName: busName(reader),
  email: notificationsUrl === undefined ? undefined : email(reader),
});

const workerSections = (
  reader: ConfigReader,
  queueConfig: QueueConfig = queues(reader),
): WorkerConfig => ({
  queues: queueConfig,
  events: events(reader, queueConfig),
  retention: retention(reader),
  otlpEndpoint: otlpEndpoint(reader),
  host: reader.text('HOST', 'the address that is listened on', '127.0.0.1'),
  logLevel: logLevel(reader),
  database: database(reader, 10),
  ...stateMachines(reader),
  dispatchConcurrency: reader.integer(
    'DISPATCH_CONCURRENCY',
    'messages worked on at the same time; 0: job requests are received by the dispatcher function',
    40,
    { min: 0, max: 200 },
  ),
  ...starts(reader),
  callbackAllowPrivate: callbackAllowPrivate(reader),
  shutdownGraceMs: reader.integer(
    'SHUTDOWN_GRACE_MS',
    'how long work in hand may take after SIGTERM',
    10_000,
    { min: 0, max: 110_000 },
  ),
  reconcileIntervalMs: reader.integer(
    'RECONCILE_INTERVAL_MS',
    'how often jobs without an owner are looked for',
    60_000,
    { min: 100, max: 3_600_000 },
  ),
  metricsPort: reader.integer(
    'WORKER_METRICS_PORT',
    'the port of the worker’s GET /metrics, 0 = none',
    0,
    { min: 0, max: 65_535 },
  ),
});

const dispatcherSections = (reader: ConfigReader): DispatcherConfig => ({
  logLevel: logLevel(reader),
  database: database(reader, 10),
  jobRequestsUrl: reader.url('JOB_REQUESTS_QUEUE_URL', 'the SQS queue job-requests'),
  stateMachineArnPrefix: stateMachineArnPrefix(reader),
  ...starts(reader),
  jobTypeTimeouts: new Map(
    reader
      .list(
        'JOB_TYPE_TIMEOUTS',
        'how long executions may take, <type>=<seconds>',
        /^[a-z0-9-]+=\d+$/,
      )
      .map((pair): [string, number] => {
        const [type = '', seconds] = pair.split('=');
        return [type, Number(seconds)];
      }),
  ),
});

const tasksSections = (reader: ConfigReader): TasksConfig => ({
  otlpEndpoint: otlpEndpoint(reader),
  logLevel: logLevel(reader),
  database: database(reader, 4),
  payloadBucket: reader.text('PAYLOAD_BUCKET', 'the S3 bucket of payloads'),
  webhook: {
    url: reader.url('WEBHOOK_URL', 'where document-metadata posts what it indexed'),
    secret: reader.text('WEBHOOK_SECRET', 'whsec_… with which those posts are signed'),
    policy: reader.oneOf(
      'WEBHOOK_POLICY',
      'what is done when the outcome of a post is unknown',
      policies,
      'repeat',
    ),
  },
  payment: {
    url: reader.url('PAYMENT_URL', 'the payment provider, which order-settlement asks for money'),
    apiKey: reader.optional('PAYMENT_API_KEY', 'the bearer token it wants, if any'),
    policy: reader.oneOf(
      'PAYMENT_POLICY',
      'what is done when the outcome of a payment request is unknown',
      policies,
      'repeat',
    ),
    callbackBaseUrl: reader.url('CALLBACK_BASE_URL', 'this API as payment providers reach it'),
    windowSeconds: reader.integer(
      'PAYMENT_WINDOW_SECONDS',
      'how long a payment is waited for before it is voided',
      900,
      { min: 1, max: 3_000 },
    ),
  },
  email: email(reader),
});

/** Throws ConfigError listing every problem. */
export const readApiConfig = (
  env: Environment = process.env,
  secrets: Environment = {},
): ApiConfig => read({ ...secrets, ...env }, apiSections);
export const readWorkerConfig = (
  env: Environment = process.env,
  secrets: Environment = {},
): WorkerConfig => read({ ...secrets, ...env }, workerSections);
export const readDispatcherConfig = (env: Environment = process.env): DispatcherConfig =>
  read(env, dispatcherSections);
/** What the environment sets wins over `secrets` (jobs/secret-settings.ts). */
export const readTasksConfig = (
  env: Environment = process.env,
  secrets: Environment = {},
): TasksConfig => read({ ...secrets, ...env }, tasksSections);

/** Every variable that some process reads, for docs/configuration.md. */
export function documentedVariables(): readonly (Variable & {
  readonly readBy: readonly string[];
})[] {
  const found = new Map<string, Variable & { readBy: string[] }>();
  const processes = {
    api: apiSections,
    worker: workerSections,
    dispatcher: dispatcherSections,
    tasks: tasksSections,
  };
  for (const [process, sections] of Object.entries(processes)) {
    const reader = new ConfigReader({});
    sections(reader);
    for (const variable of reader.variables) {
      const entry = found.get(variable.name) ?? { ...variable, readBy: [] };
      entry.readBy.push(process);
      found.set(variable.name, entry);
    }
  }
  return [...found.values()];
}

export type MigrationsConfig = {
  /** Without a user: the secret has it. */
  readonly databaseUrl: string;
  /** As which Pawl's processes log in. */
  readonly role: string;
  /** Holds `{"username", "password"}` of the administrator. */
  readonly adminSecretArn: string;
};

/** Of the function that migrates on AWS; `npm run migrate` needs DATABASE_URL only. */
export const readMigrationsConfig = (env: Environment = process.env): MigrationsConfig =>
  read(env, (reader) => ({
    databaseUrl: reader.url('DATABASE_URL', 'the PostgreSQL server, postgres://host:port/database'),
    role: reader.text('DATABASE_ROLE', 'the role as which processes log in'),
    adminSecretArn: reader.text('ADMIN_SECRET_ARN', 'the secret with username and password'),
  }));

/** The secret in AWS Secrets Manager that holds variables of a Lambda function; undefined where none does. */
export const readSettingsSecretArn = (env: Environment = process.env): string | undefined =>
  env['SETTINGS_SECRET_ARN'] === '' ? undefined : env['SETTINGS_SECRET_ARN'];

/** Tests only: the file that arms a crash point (jobs/crash-point.ts); undefined in production. */
export const readCrashPointFile = (env: Environment = process.env): string | undefined =>
  env['CRASH_POINT_FILE'] === '' ? undefined : env['CRASH_POINT_FILE'];

/** Whether a supervisor stops this process by SIGTERM, so that a terminal's SIGINT is not for it. */
export const isSupervised = (env: Environment = process.env): boolean =>
  env['PAWL_SUPERVISED'] === '1';
