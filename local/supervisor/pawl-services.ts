import type { DataDir } from './data-dir.ts';
import type { KeptSettings } from './kept-settings.ts';
import { nodeService, type NodeServiceOptions } from './node-service.ts';
import { postgresService } from './postgres-service.ts';
import type { Service } from './service.ts';

/** In the order in which they are stopped, each with the time it gets; together under the 15 s that Ctrl-C may take. */
export const STOP_ORDER = [
  { name: 'worker', graceMs: 4_500 },
  { name: 'api', graceMs: 2_500 },
  { name: 'lambda', graceMs: 2_500 },
  { name: 'engine', graceMs: 1_500 },
  { name: 'webhook', graceMs: 500 },
  { name: 'payment', graceMs: 500 },
  { name: 'mail', graceMs: 500 },
  { name: 'cloud', graceMs: 1_000 },
  { name: 'postgres', graceMs: 1_500 },
] as const;
export type ServiceName = (typeof STOP_ORDER)[number]['name'];

export function pawlServices(
  dataDir: DataDir,
  { ports, databasePassword }: KeptSettings,
  env: NodeJS.ProcessEnv,
): Readonly<Record<ServiceName, Service>> {
  const at = (port: number | string | undefined, path: string): string =>
    `http://127.0.0.1:${port}${path}`;
  const service = (
    options: Omit<NodeServiceOptions, 'logFile' | 'spawned' | 'env'> & {
      readonly env?: NodeJS.ProcessEnv;
    },
  ): Service =>
    nodeService({
      ...options,
      env: { ...env, ...options.env },
      logFile: logFileOf(dataDir, options.name),
      spawned: (name, pid) => dataDir.noteProcess(name, pid),
    });
  return {
    postgres: postgresService({
      dataDir: dataDir.file('postgres'),
      port: ports.postgres,
      password: databasePassword,
      logFile: logFileOf(dataDir, 'postgres'),
    }),
    cloud: service({
      name: 'cloud',
      script: 'local/cloud/server.ts',
      env: {
        CLOUD_DATA_DIR: dataDir.file('cloud'),
        CLOUD_PORT: String(ports.cloud),
        CLOUD_S3_PORT: String(ports.s3),
        CLOUD_EVENTBRIDGE_PORT: String(ports.eventbridge),
      },
      ready: { kind: 'http', url: at(ports.eventbridge, '/health') },
    }),
    engine: service({
      name: 'engine',
      script: 'local/stepfunctions/server.ts',
      args: ['--port', String(ports.engine), '--data', dataDir.file('stepfunctions')],
      ready: { kind: 'port', port: ports.engine },
    }),
    lambda: service({
      name: 'lambda',
      script: 'local/lambda/server.ts',
      env: { LAMBDA_PORT: String(ports.lambda) },
      ready: { kind: 'http', url: at(ports.lambda, '/health') },
    }),
    webhook: service({
      name: 'webhook',
      script: 'local/providers/webhook.ts',
      env: { WEBHOOK_PORT: String(ports.webhook) },
      ready: { kind: 'http', url: at(ports.webhook, '/health') },
    }),
    payment: service({
      name: 'payment',
      script: 'local/providers/payment.ts',
      env: { PAYMENT_PORT: String(ports.payment) },
      ready: { kind: 'http', url: at(ports.payment, '/health') },
    }),
    mail: service({
      name: 'mail',
      script: 'local/providers/mail.ts',
      env: { SMTP_PORT: String(ports.smtp), MAIL_PORT: String(ports.mail) },
      ready: { kind: 'http', url: at(ports.mail, '/health') },
    }),
    api: service({
      name: 'api',
      script: 'api/server.ts',
      ready: { kind: 'http', url: at(env['PORT'], '/readyz') },
    }),
    worker: service({
      name: 'worker',
      script: 'worker/server.ts',
      ready: logsReady(env['LOG_LEVEL'])
        ? { kind: 'log', text: '"msg":"ready"' }
        : { kind: 'alive', forMs: 1_000 },
    }),
  };
}

/** The worker has no port; it says in its log, at level info, that it is ready. */
const logsReady = (level = 'info'): boolean => ['trace', 'debug', 'info'].includes(level);

export const logFilesOf = (dataDir: DataDir): ReadonlyMap<string, string> =>
  new Map(STOP_ORDER.map(({ name }) => [name, logFileOf(dataDir, name)]));

const logFileOf = (dataDir: DataDir, name: string): string => dataDir.file(`logs/${name}.log`);
