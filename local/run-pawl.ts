import { rmSync } from 'node:fs';
import { loadJobTypes } from '../statemachines/registry.ts';
import { findFreePort, isPortFree } from './processes/free-port.ts';
import { type Addresses, addressesOf } from './supervisor/addresses.ts';
import { awsAccountAt } from './supervisor/aws-account.ts';
import { childEnvironment } from './supervisor/child-environment.ts';
import { type DataDir, openDataDir } from './supervisor/data-dir.ts';
import { type KeptSettings, keepSettings } from './supervisor/kept-settings.ts';
import { logFilesOf, pawlServices, STOP_ORDER } from './supervisor/pawl-services.ts';
import { provisionCloud } from './supervisor/provision-cloud.ts';
import { provisionDatabase } from './supervisor/provision-database.ts';
import { provisionStateMachines } from './supervisor/provision-state-machines.ts';
import { describeRuntime, type Runtime, writeRuntime } from './supervisor/runtime-file.ts';
import { LONGEST_BACKOFF_MS, Supervisor } from './supervisor/supervisor.ts';
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
  const running: { pids: ReadonlyMap<string, number>; isUp: boolean } = {
    pids: new Map(),
    isUp: false,
  };
  const write = (): Runtime => {
    const runtime = describeRuntime(settings, addresses, running.pids);
    writeRuntime(runtimeFile, runtime);
    return runtime;
  };
  const supervisor = new Supervisor(
    {
      say: options.say,
      changed: (pids) => {
        running.pids = pids;
        if (running.isUp) write();
      },
    },
    // Tests that kill many processes do not want to wait.
    Number(options.env['SUPERVISOR_LONGEST_BACKOFF_MS'] ?? LONGEST_BACKOFF_MS),
  );
  const logs = watchLogs(logFilesOf(dataDir), options.say);
  return {
    start: async () => {
      await startInOrder(options, dataDir, settings, addresses, supervisor);
      running.isUp = true;
      return write();
    },
    stop: async () => {
      await supervisor.stop(STOP_ORDER);
      logs.stop();
      rmSync(runtimeFile, { force: true });
      dataDir.release();
    },
  };
}

/** Each thing as soon as what it needs is there; who consumes messages comes last. */
async function startInOrder(
  { env }: PawlOptions,
  dataDir: DataDir,
  settings: KeptSettings,
  addresses: Addresses,
  supervisor: Supervisor,
): Promise<void> {
  const folders = (env['JOB_TYPE_DIRS'] ?? '').split(':').filter((folder) => folder !== '');
  const registry = await loadJobTypes(folders);
  const childEnv = childEnvironment(env, addresses, settings);
  const services = pawlServices(dataDir, settings, childEnv);
  const account = awsAccountAt(addresses);
  try {
    const database = supervisor
      .start(services.postgres)
      .then(() => provisionDatabase(addresses, settings));
    const cloud = supervisor
      .start(services.cloud)
      .then(() => provisionCloud(account, addresses, env['ARCHIVE_BUCKET']));
    const { webhook, payment, mail, lambda } = services;
    const others = [webhook, payment, mail, lambda].map((service) => supervisor.start(service));
    await Promise.all([database, cloud, ...others]);
    const engine = supervisor
      .start(services.engine)
      .then(() => provisionStateMachines(account.sfn, registry))
      .then(() => supervisor.start(services.worker));
    await Promise.all([engine, supervisor.start(services.api)]);
  } finally {
    for (const client of Object.values(account)) client.destroy();
  }
}

async function choosePort(port: number): Promise<number> {
  if (port === 0) return await findFreePort();
  if (await isPortFree(port)) return port;
  throw new Error(
    `Port ${port} is taken by another program. Set PORT to another one, or to 0 for any free one.`,
  );
}
