import { rmSync } from 'node:fs';
import { loadJobTypes } from '../statemachines/registry.ts';
import type { RunningPostgres } from './postgres/start-postgres.ts';
import { findFreePort, isPortFree } from './processes/free-port.ts';
import { type Addresses, addressesOf } from './supervisor/addresses.ts';
import { awsAccountAt } from './supervisor/aws-account.ts';
import { childEnvironment } from './supervisor/child-environment.ts';
import { type DataDir, openDataDir } from './supervisor/data-dir.ts';
import { type KeptSettings, keepSettings } from './supervisor/kept-settings.ts';
import { logFilesOf, pawlServices, STOP_ORDER } from './supervisor/pawl-services.ts';
import { postgresService } from './supervisor/postgres-service.ts';
import { provisionCloud } from './supervisor/provision-cloud.ts';
import { provisionDatabase } from './supervisor/provision-database.ts';
import { provisionStateMachines } from './supervisor/provision-state-machines.ts';
import { describeRuntime, type Runtime, writeRuntime } from './supervisor/runtime-file.ts';
import { Supervisor } from './supervisor/supervisor.ts';
import { watchLogs } from './supervisor/watch-logs.ts';

export interface PawlOptions {
  readonly dataDir: string;
  /** Of the API; 0 = any free one. */
  readonly port: number;
  /** The user's environment; child-environment.ts says what of it reaches our processes. */
  readonly env: NodeJS.ProcessEnv;
  /** Shows a person one line. */
  readonly say: (line: string) => void;
}

export interface Pawl {
  /** Resolves when everything is ready; rejects when something does not start, or when it was stopped first. */
  start(): Promise<Runtime>;
  /** Stops everything in order, however far the start has come, and gives the data directory back. */
  stop(): Promise<void>;
}

/**
 * PostgreSQL, the stand-ins for AWS and Pawl's own processes, about to be started on the data directory.
 *
 * Throws when another process runs on it or the port is taken.
 */
export async function openPawl(options: PawlOptions): Promise<Pawl> {
  const dataDir = await openDataDir(options.dataDir);
  try {
    const settings = await keepSettings(dataDir.file('kept.json'));
    const addresses = addressesOf(settings, await choosePort(options.port));
    return preparePawl(options, dataDir, settings, addresses);
  } catch (error) {
    dataDir.release();
    throw error;
  }
}

function preparePawl(
  options: PawlOptions,
  dataDir: DataDir,
  settings: KeptSettings,
  addresses: Addresses,
): Pawl {
  const runtimeFile = dataDir.file('runtime.json');
  let pids: ReadonlyMap<string, number> = new Map();
  let databaseUrl: string | undefined;
  const write = (url: string): Runtime => {
    const runtime = describeRuntime(settings, addresses, url, pids);
    writeRuntime(runtimeFile, runtime);
    return runtime;
  };
  const supervisor = new Supervisor({
    say: options.say,
    changed: (now) => {
      pids = now;
      if (databaseUrl !== undefined) write(databaseUrl);
    },
  });
  const logs = watchLogs(logFilesOf(dataDir), options.say);
  return {
    start: async () => {
      const url = await startInOrder(options, dataDir, settings, addresses, supervisor);
      databaseUrl = url;
      return write(url);
    },
    stop: async () => {
      await supervisor.stop(STOP_ORDER);
      logs.stop();
      rmSync(runtimeFile, { force: true });
      dataDir.release();
    },
  };
}

/** Returns the database's connection string. */
async function startInOrder(
  { env }: PawlOptions,
  dataDir: DataDir,
  settings: KeptSettings,
  addresses: Addresses,
  supervisor: Supervisor,
): Promise<string> {
  const server = await startDatabaseServer(dataDir, settings, supervisor);
  const account = awsAccountAt(addresses);
  const databaseUrl = server.urlOf(DATABASE);
  const childEnv = childEnvironment(env, addresses, databaseUrl, settings.webhookSecret);
  const services = pawlServices(dataDir, settings, childEnv);
  const folders = (env['JOB_TYPE_DIRS'] ?? '').split(':').filter((folder) => folder !== '');
  try {
    const [registry] = await Promise.all([
      loadJobTypes(folders),
      provisionDatabase(server, DATABASE, settings),
      supervisor.start(services.cloud),
      supervisor.start(services.webhook),
      supervisor.start(services.lambda),
    ]);
    await Promise.all([provisionCloud(account, addresses), supervisor.start(services.engine)]);
    await provisionStateMachines(account.sfn, registry);
    await Promise.all([supervisor.start(services.api), supervisor.start(services.worker)]);
  } finally {
    for (const client of Object.values(account)) client.destroy();
  }
  return databaseUrl;
}

const DATABASE = 'pawl';

async function startDatabaseServer(
  dataDir: DataDir,
  { ports }: KeptSettings,
  supervisor: Supervisor,
): Promise<RunningPostgres> {
  const started = Promise.withResolvers<RunningPostgres>();
  await supervisor.start(
    postgresService({
      dataDir: dataDir.file('postgres'),
      port: ports.postgres,
      logFile: dataDir.file('logs/postgres.log'),
      started: started.resolve,
    }),
  );
  return await started.promise;
}

async function choosePort(port: number): Promise<number> {
  if (port === 0) return await findFreePort();
  if (await isPortFree(port)) return port;
  throw new Error(
    `Port ${port} is taken by another program. Set PORT to another one, or to 0 for any free one.`,
  );
}
