import type { AliasRow } from '../store/state-machines.ts';
import { ApiError } from './api-error.ts';
import { checkArn } from './check-arn.ts';
import type { Api } from './operation.ts';

/** Throws ResourceNotFound. */
export function findAlias({ store }: Api, arn: string): AliasRow {
  checkArn(arn, 'stateMachine');
  const alias = store.machines.alias(arn);
  if (!alias) {
    throw new ApiError('ResourceNotFound', `Request references a resource that does not exist.`, {
      resourceName: arn,
    });
  }
  return alias;
}
