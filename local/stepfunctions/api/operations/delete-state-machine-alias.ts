import { checkArn } from '../check-arn.ts';
import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { structure } from '../shape.ts';

const shape = structure({ stateMachineAliasArn: field.arn });

export const deleteStateMachineAlias = operation(shape, (api, { stateMachineAliasArn }) => {
  checkArn(stateMachineAliasArn, 'stateMachine');
  api.store.commits.atomically(() => api.store.machines.removeAlias(stateMachineAliasArn));
  return {};
});
