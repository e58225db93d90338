import { validateDefinition } from '../definition/validate-definition.ts';
import type { MachineType } from '../store/state-machines.ts';
import { ApiError } from './api-error.ts';

/** Throws InvalidDefinition with the first error, and its place, in AWS's words. */
export function checkDefinition(definition: string, type: MachineType): void {
  const { diagnostics } = validateDefinition(definition, { type });
  const error = diagnostics.find(({ severity }) => severity === 'ERROR');
  if (!error) return;
  const place = error.location === undefined ? '' : ` at ${error.location}`;
  throw new ApiError(
    'InvalidDefinition',
    `Invalid State Machine Definition: '${error.code}: ${error.message}${place}'`,
  );
}
