import type { MachineRow } from '../store/state-machines.ts';
import { ApiError } from './api-error.ts';
import { checkArn } from './check-arn.ts';
import type { Api } from './operation.ts';

/** What a state machine ARN, plain or with a version or alias behind it, stands for. */
export type FoundMachine = {
  readonly machine: MachineRow;
  readonly revision: number;
  readonly versionArn?: string;
  readonly aliasArn?: string;
  readonly versionDescription?: string;
};

/** The machine of a plain ARN. Throws StateMachineDoesNotExist. */
export function findMachine({ store }: Api, arn: string): MachineRow {
  checkArn(arn, 'stateMachine');
  const machine = store.machines.machine(arn);
  if (!machine) throw doesNotExist(arn);
  return machine;
}

/** `random` (uniform in [0, 1)) picks among an alias's versions by their weights. */
export function resolveMachine(api: Api, arn: string, random = Math.random()): FoundMachine {
  const { parts } = checkArn(arn, 'stateMachine');
  const [, qualifier] = parts;
  if (qualifier === undefined) {
    const machine = findMachine(api, arn);
    return { machine, revision: machine.revision };
  }
  const machine = api.store.machines.machine(arn.slice(0, -qualifier.length - 1));
  if (!machine) throw doesNotExist(arn);
  if (/^\d+$/.test(qualifier)) return { machine, ...versionOf(api, arn) };
  const alias = api.store.machines.alias(arn);
  if (!alias) throw doesNotExist(arn);
  return { machine, ...versionOf(api, pickByWeight(alias.routing, random)), aliasArn: arn };
}

function versionOf(
  { store }: Api,
  arn: string,
): { revision: number; versionArn: string; versionDescription?: string } {
  const version = store.machines.version(arn);
  if (!version) throw doesNotExist(arn);
  return {
    revision: version.revision,
    versionArn: version.arn,
    ...(version.description !== undefined && { versionDescription: version.description }),
  };
}

function pickByWeight(
  routing: readonly { stateMachineVersionArn: string; weight: number }[],
  random: number,
): string {
  let left = random * 100;
  for (const { stateMachineVersionArn, weight } of routing) {
    left -= weight;
    if (left < 0) return stateMachineVersionArn;
  }
  return routing.at(-1)?.stateMachineVersionArn ?? '';
}

export function doesNotExist(arn: string): ApiError {
  return new ApiError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
}
