import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createHttpServer, type AdminCall } from './api/http-server.ts';
import { createManualClock } from './clock.ts';
import { createEngine } from './engine.ts';
import { putEventsTo } from './events/put-events.ts';
import { parseMockConfig, type MockConfig } from './mocking/mock-config.ts';
import { StoreUnusableError } from './store/open-database.ts';

/**
 * The engine as a process of its own:
 * `npm run stepfunctions -- --port 8083 --data DIR [--host 127.0.0.1] [--clock manual] [--mock-config FILE]`.
 * Prints `{"ready":true,"port":N}` when it listens. SIGTERM stops it; so does SIGINT, unless
 * PAWL_SUPERVISED=1 says that somebody else will (a terminal sends SIGINT to everybody).
 */
const USAGE =
  'usage: stepfunctions --data DIR [--port 8083] [--host 127.0.0.1] [--clock manual] [--mock-config FILE]';

type Options = {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly isManualClock: boolean;
  readonly mockConfig?: MockConfig;
};

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8083' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      clock: { type: 'string', default: 'system' },
      'mock-config': { type: 'string' },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port ${values.port} is no port`);
  if (values.data === undefined) throw new Error('--data DIR is missing');
  if (values.clock !== 'system' && values.clock !== 'manual') {
    throw new Error(`--clock ${values.clock}: it is system or manual`);
  }
  // The variable is the one of AWS Step Functions Local.
  const mockFile = values['mock-config'] ?? process.env['SFN_MOCK_CONFIG'];
  return {
    port,
    host: values.host,
    dataDir: values.data,
    isManualClock: values.clock === 'manual',
    ...(mockFile !== undefined && { mockConfig: readMockConfig(mockFile) }),
  };
}

function readMockConfig(file: string): MockConfig {
  try {
    return parseMockConfig(readFileSync(file, 'utf8'));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`--mock-config ${file}: ${problem}`, { cause: error });
  }
}

function report(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${JSON.stringify({ level: 'error', message: text })}\n`);
}

function endpoint(service: string): string | undefined {
  return process.env[`AWS_ENDPOINT_URL_${service}`] ?? process.env['AWS_ENDPOINT_URL'];
}

function endpoints(): Record<string, string> {
  const found = {
    lambda: process.env['LAMBDA_ENDPOINT'] ?? endpoint('LAMBDA'),
    eventbridge: endpoint('EVENTBRIDGE'),
    sqs: endpoint('SQS'),
    sns: endpoint('SNS'),
    s3: endpoint('S3'),
  };
  const given: Record<string, string> = {};
  for (const [service, url] of Object.entries(found)) if (url !== undefined) given[service] = url;
  return given;
}

function start(): void {
  const { port, host, dataDir, isManualClock, mockConfig } = readOptions();
  const manual = isManualClock ? createManualClock() : undefined;
  const services = endpoints();
  const eventbridge = services['eventbridge'];
  const engine = createEngine({
    dataDir,
    endpoints: services,
    report,
    region: process.env['AWS_REGION'] ?? 'us-east-1',
    accountId: process.env['AWS_ACCOUNT_ID'] ?? '000000000000',
    ...(manual && { clock: manual }),
    ...(mockConfig && { mockConfig }),
    ...(eventbridge !== undefined && { putEvents: putEventsTo(eventbridge) }),
  });
  const advance: AdminCall = (body) => {
    const ms =
      typeof body === 'object' && body !== null && 'ms' in body ? Number(body.ms) : Number.NaN;
    if (!(ms >= 0)) throw new Error('the body must be {"ms": how far to move the clock}');
    manual?.advance(ms);
    return { now: manual?.now() };
  };
  const server = createHttpServer(
    engine,
    manual ? { '/_admin/advance-clock': advance } : {},
    report,
  );
  // A held GetActivityTask or StartSyncExecution is no slow client.
  server.requestTimeout = 0;
  // Longer than clients keep connections, so that theirs is the side that closes them.
  server.keepAliveTimeout = 75_000;
  server.listen(port, host, () => {
    const address = server.address();
    const bound = typeof address === 'object' && address ? address.port : port;
    process.stdout.write(`${JSON.stringify({ ready: true, port: bound })}\n`);
  });
  server.on('error', (error) => {
    report(error);
    process.exit(1);
  });

  const stop = (): void => {
    server.close();
    engine.stop();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.on('SIGINT', () => {
    if (process.env['PAWL_SUPERVISED'] !== '1') stop();
  });
}

try {
  start();
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${text}\n${error instanceof StoreUnusableError ? '' : `${USAGE}\n`}`);
  process.exit(1);
}
