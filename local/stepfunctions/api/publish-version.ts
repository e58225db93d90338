import type { VersionRow } from '../store/state-machines.ts';
import type { Api } from './operation.ts';

/** Publishing the same revision again gives the version that is there. Must run in a transaction. */
export function publishVersion(
  { store, clock }: Api,
  machineArn: string,
  revision: number,
  description?: string,
): VersionRow {
  const [latest] = store.machines.versions(machineArn, 1, 0);
  if (latest?.revision === revision) return latest;
  const number = store.machines.nextVersionNumber(machineArn);
  const version = {
    arn: `${machineArn}:${number}`,
    machineArn,
    number,
    revision,
    ...(description !== undefined && { description }),
    createdAt: clock.now(),
  };
  store.machines.insertVersion(version);
  return version;
}
