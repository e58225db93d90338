import { createHash } from 'node:crypto';
import type { MapState } from '../definition/ast.ts';

/** The machine's own ARN, also for a child execution's `…:stateMachine:NAME/LABEL`. */
export function ownerArn(machineArn: string): string {
  const slash = machineArn.lastIndexOf('/');
  return slash < 0 ? machineArn : machineArn.slice(0, slash);
}

/** The Label of a Map, or one that is made for it: the same at every run, another for every Map. */
export function labelOf(state: MapState, machineArn: string): string {
  return state.label ?? uuidOf(`${ownerArn(machineArn)}/${state.name}`);
}

/** The ARN under which a Map Run and its children show their machine: `…:stateMachine:NAME/LABEL`. */
export function labelledArn(machineArn: string, label: string): string {
  return `${ownerArn(machineArn)}/${label}`;
}

/** `nonce`: 128 random bits in URL-safe text. */
export function mapRunArn(machineArn: string, label: string, nonce: string): string {
  const machine = labelledArn(machineArn, label).replace(':stateMachine:', ':mapRun:');
  return `${machine}:${hexToUuid(Buffer.from(nonce, 'base64url').toString('hex'))}`;
}

function uuidOf(text: string): string {
  return hexToUuid(createHash('sha256').update(text).digest('hex'));
}

function hexToUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
