import { checkArn } from '../check-arn.ts';
import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { structure } from '../shape.ts';

const shape = structure({ stateMachineArn: field.arn });

/**
 * A machine that does not exist is deleted already. One with open executions is DELETING until
 * they have ended; AWS ends them at their next transition, here they are aborted at once.
 */
export const deleteStateMachine = operation(shape, async (api, { stateMachineArn }) => {
  checkArn(stateMachineArn, 'stateMachine');
  const { store, host } = api;
  if (!store.machines.machine(stateMachineArn)) return {};
  const filter = { machineArn: stateMachineArn, status: 'RUNNING' };
  store.commits.atomically(() => store.machines.markDeleting(stateMachineArn));
  const open = store.executions.list(filter, -1, 0);
  await Promise.all(open.map(({ id }) => host.send(id, { kind: 'stop' })));
  store.commits.atomically(() => {
    store.machines.removeMachine(stateMachineArn);
    store.tags.removeAll(stateMachineArn);
  });
  return {};
});
