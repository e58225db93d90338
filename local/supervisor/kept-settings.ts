import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { newKey } from '../../jobs/store/api-keys.ts';
import { findFreePort, isPortFree } from '../processes/free-port.ts';
import { writeByRename } from './data-dir.ts';

const PORT_NAMES = [
  'postgres',
  'cloud',
  's3',
  'eventbridge',
  'engine',
  'lambda',
  'webhook',
  'payment',
  'smtp',
  'mail',
] as const;
export type PortName = (typeof PORT_NAMES)[number];

/** What is the same after a restart. */
export interface KeptSettings {
  readonly ports: Readonly<Record<PortName, number>>;
  readonly databasePassword: string;
  readonly tenantId: string;
  readonly keys: { readonly client: string; readonly operator: string };
  /** `whsec_` and base64, as Standard Webhooks writes a secret. */
  readonly webhookSecret: string;
  /** The same, with which the payment provider signs. */
  readonly paymentWebhookSecret: string;
}

/** Reads the settings of an earlier start, or makes them; a port that somebody else took meanwhile is chosen anew. */
export async function keepSettings(file: string): Promise<KeptSettings> {
  // Written below and by nobody else.
  const kept = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<KeptSettings>)
    : {};
  const settings: KeptSettings = {
    ports: await choosePorts(kept.ports ?? {}),
    databasePassword: kept.databasePassword ?? randomBytes(18).toString('hex'),
    tenantId: kept.tenantId ?? 'local',
    keys: kept.keys ?? { client: newKey(), operator: newKey() },
    webhookSecret: kept.webhookSecret ?? newSecret(),
    paymentWebhookSecret: kept.paymentWebhookSecret ?? newSecret(),
  };
  writeByRename(file, JSON.stringify(settings, null, 2));
  return settings;
}

const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

async function choosePorts(
  kept: Partial<Record<PortName, number>>,
): Promise<Record<PortName, number>> {
  const chosen = new Map<PortName, number>();
  for (const name of PORT_NAMES) {
    const port = kept[name];
    const usable = port !== undefined && (await isPortFree(port));
    chosen.set(name, usable ? port : await findOtherPort([...chosen.values()]));
  }
  const of = (name: PortName): number => chosen.get(name) ?? 0;
  return {
    postgres: of('postgres'),
    cloud: of('cloud'),
    s3: of('s3'),
    eventbridge: of('eventbridge'),
    engine: of('engine'),
    lambda: of('lambda'),
    webhook: of('webhook'),
    payment: of('payment'),
    smtp: of('smtp'),
    mail: of('mail'),
  };
}

async function findOtherPort(taken: readonly number[]): Promise<number> {
  for (;;) {
    const port = await findFreePort();
    if (!taken.includes(port)) return port;
  }
}
