import type { Operation } from './operation.ts';
import { createActivity } from './operations/create-activity.ts';
import { createStateMachine } from './operations/create-state-machine.ts';
import { createStateMachineAlias } from './operations/create-state-machine-alias.ts';
import { deleteActivity } from './operations/delete-activity.ts';
import { deleteStateMachine } from './operations/delete-state-machine.ts';
import { deleteStateMachineAlias } from './operations/delete-state-machine-alias.ts';
import { deleteStateMachineVersion } from './operations/delete-state-machine-version.ts';
import { describeActivity } from './operations/describe-activity.ts';
import { describeExecution } from './operations/describe-execution.ts';
import { describeMapRun } from './operations/describe-map-run.ts';
import { describeStateMachine } from './operations/describe-state-machine.ts';
import { describeStateMachineAlias } from './operations/describe-state-machine-alias.ts';
import { describeStateMachineForExecution } from './operations/describe-state-machine-for-execution.ts';
import { getActivityTask } from './operations/get-activity-task.ts';
import { getExecutionHistory } from './operations/get-execution-history.ts';
import { listActivities } from './operations/list-activities.ts';
import { listExecutions } from './operations/list-executions.ts';
import { listMapRuns } from './operations/list-map-runs.ts';
import { listStateMachineAliases } from './operations/list-state-machine-aliases.ts';
import { listStateMachineVersions } from './operations/list-state-machine-versions.ts';
import { listStateMachines } from './operations/list-state-machines.ts';
import { listTagsForResource } from './operations/list-tags-for-resource.ts';
import { publishStateMachineVersion } from './operations/publish-state-machine-version.ts';
import { redriveExecution } from './operations/redrive-execution.ts';
import { sendTaskFailure } from './operations/send-task-failure.ts';
import { sendTaskHeartbeat } from './operations/send-task-heartbeat.ts';
import { sendTaskSuccess } from './operations/send-task-success.ts';
import { startExecution } from './operations/start-execution.ts';
import { startSyncExecution } from './operations/start-sync-execution.ts';
import { stopExecution } from './operations/stop-execution.ts';
import { tagResource } from './operations/tag-resource.ts';
import { testState } from './operations/test-state.ts';
import { untagResource } from './operations/untag-resource.ts';
import { updateMapRun } from './operations/update-map-run.ts';
import { updateStateMachine } from './operations/update-state-machine.ts';
import { updateStateMachineAlias } from './operations/update-state-machine-alias.ts';
import { validateStateMachineDefinition } from './operations/validate-state-machine-definition.ts';

/** The operations of the service model that this engine answers, by their names on the wire. */
export const operations: Readonly<Record<string, Operation>> = {
  CreateActivity: createActivity,
  CreateStateMachine: createStateMachine,
  CreateStateMachineAlias: createStateMachineAlias,
  DeleteActivity: deleteActivity,
  DeleteStateMachine: deleteStateMachine,
  DeleteStateMachineAlias: deleteStateMachineAlias,
  DeleteStateMachineVersion: deleteStateMachineVersion,
  DescribeActivity: describeActivity,
  DescribeExecution: describeExecution,
  DescribeMapRun: describeMapRun,
  DescribeStateMachine: describeStateMachine,
  DescribeStateMachineAlias: describeStateMachineAlias,
  DescribeStateMachineForExecution: describeStateMachineForExecution,
  GetActivityTask: getActivityTask,
  GetExecutionHistory: getExecutionHistory,
  ListActivities: listActivities,
  ListExecutions: listExecutions,
  ListMapRuns: listMapRuns,
  ListStateMachineAliases: listStateMachineAliases,
  ListStateMachineVersions: listStateMachineVersions,
  ListStateMachines: listStateMachines,
  ListTagsForResource: listTagsForResource,
  PublishStateMachineVersion: publishStateMachineVersion,
  RedriveExecution: redriveExecution,
  SendTaskFailure: sendTaskFailure,
  SendTaskHeartbeat: sendTaskHeartbeat,
  SendTaskSuccess: sendTaskSuccess,
  StartExecution: startExecution,
  StartSyncExecution: startSyncExecution,
  StopExecution: stopExecution,
  TagResource: tagResource,
  TestState: testState,
  UntagResource: untagResource,
  UpdateMapRun: updateMapRun,
  UpdateStateMachine: updateStateMachine,
  UpdateStateMachineAlias: updateStateMachineAlias,
  ValidateStateMachineDefinition: validateStateMachineDefinition,
};
