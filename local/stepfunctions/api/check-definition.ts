import { invalidDefinitionMessage } from '../definition/diagnostic.ts';
import { validateDefinition } from '../definition/validate-definition.ts';
import type { MachineType } from '../store/state-machines.ts';
import { ApiError } from './api-error.ts';

/** Throws InvalidDefinition with what is wrong and where, in AWS's words. */
export function checkDefinition(definition: string, type: MachineType): void {
  const { diagnostics } = validateDefinition(definition, { type });
  if (!diagnostics.some(({ severity }) => severity === 'ERROR')) return;
  throw new ApiError('InvalidDefinition', invalidDefinitionMessage(diagnostics));
}
