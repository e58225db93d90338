import { ApiError } from './api-error.ts';
import { checkArn } from './check-arn.ts';
import type { Api } from './operation.ts';

/** State machines and activities have tags, versions and aliases have not. Throws ResourceNotFound. */
export function checkTaggable({ store }: Api, arn: string): void {
  const { kind } = checkArn(arn, 'stateMachine', 'activity');
  const found = kind === 'activity' ? store.activities.find(arn) : store.machines.machine(arn);
  if (found) return;
  throw new ApiError('ResourceNotFound', `Resource not found: '${arn}'`, { resourceName: arn });
}
