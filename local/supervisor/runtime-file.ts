import { type Addresses, BUCKET } from './addresses.ts';
import { writeByRename } from './data-dir.ts';
import type { KeptSettings } from './kept-settings.ts';

/** `DATA_DIR/runtime.json`: where things are while Pawl is up. */
export interface Runtime {
  readonly api: string;
  readonly console: string;
  readonly tenantId: string;
  readonly keys: { readonly client: string; readonly operator: string };
  readonly databaseUrl: string;
  readonly endpoints: Addresses['endpoints'];
  readonly queues: {
    readonly jobRequests: string;
    readonly jobRequestsDlq: string;
    readonly executionEvents: string;
  };
  readonly bucket: string;
  /** Other people's systems as they are played here: what they did can be read there. */
  readonly providers: {
    readonly webhook: string;
    readonly payment: string;
    readonly mailbox: string;
  };
  readonly pids: Readonly<Record<RuntimeProcess, number>>;
}

const PROCESSES = ['postgres', 'cloud', 'engine', 'lambda', 'api', 'worker'] as const;
export type RuntimeProcess = (typeof PROCESSES)[number];

export function describeRuntime(
  settings: KeptSettings,
  addresses: Addresses,
  pids: ReadonlyMap<string, number>,
): Runtime {
  const { jobRequests, jobRequestsDlq, executionEvents } = addresses.queues;
  const pid = (name: RuntimeProcess): number => pids.get(name) ?? 0;
  return {
    api: addresses.api,
    console: `${addresses.api}/console/`,
    tenantId: settings.tenantId,
    keys: settings.keys,
    databaseUrl: addresses.database,
    endpoints: addresses.endpoints,
    queues: { jobRequests, jobRequestsDlq, executionEvents },
    bucket: BUCKET,
    providers: {
      webhook: addresses.webhook,
      payment: addresses.payment,
      mailbox: addresses.mailbox,
    },
    pids: {
      postgres: pid('postgres'),
      cloud: pid('cloud'),
      engine: pid('engine'),
      lambda: pid('lambda'),
      api: pid('api'),
      worker: pid('worker'),
    },
  };
}

export function writeRuntime(file: string, runtime: Runtime): void {
  writeByRename(file, `${JSON.stringify(runtime, null, 2)}\n`);
}
