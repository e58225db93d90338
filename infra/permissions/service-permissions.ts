import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { MessagingStack } from '../messaging-stack.ts';
import { liveAlias } from '../orchestration-stack.ts';
import type { Stage } from '../stages.ts';
import type { StatesArns } from './states-arns.ts';

const allow = (sid: string, actions: string[], resources: string[]): PolicyStatement =>
  new PolicyStatement({ sid, actions, resources });

/** The API takes jobs in and shows them. It starts, redrives and stops nothing: that is the worker's. */
export function apiStatements(
  messaging: MessagingStack,
  { machines, executions, mapRuns, children }: StatesArns,
): PolicyStatement[] {
  const { jobRequests, executionEvents } = messaging;
  const pairs = [jobRequests, executionEvents, ...messaging.subscribers];
  const queues = pairs.map(({ queue }) => queue.queueArn);
  const dlqs = pairs.map(({ dlq }) => dlq.queueArn);
  return [
    allow('RelayAndResend', ['sqs:SendMessage'], queues),
    allow('QueueDepths', ['sqs:GetQueueAttributes'], [...queues, ...dlqs]),
    allow(
      'DeadLetters',
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'],
      dlqs,
    ),
    // Presigned addresses carry the signer's permissions.
    allow(
      'Uploads',
      ['s3:PutObject', 's3:ListMultipartUploadParts'],
      [messaging.objectsArn('payloads/*')],
    ),
    allow(
      'Results',
      ['s3:GetObject', 's3:GetObjectVersion'],
      [messaging.objectsArn('payloads/*'), messaging.objectsArn('jobs/*')],
    ),
    allow(
      'ShowExecutions',
      [
        'states:DescribeExecution',
        'states:GetExecutionHistory',
        'states:DescribeStateMachineForExecution',
        'states:ListMapRuns',
      ],
      [executions],
    ),
    allow('ShowMapRuns', ['states:DescribeMapRun', 'states:ListExecutions'], [mapRuns]),
    allow('ShowChildren', ['states:DescribeExecution'], [children]),
    allow('ShowDefinitions', ['states:DescribeStateMachine'], [machines]),
    ...replayStatements(messaging),
  ];
}

/** An operator has archived events replayed. */
function replayStatements({ bus, archive }: MessagingStack): PolicyStatement[] {
  const replays = Stack.of(bus).formatArn({
    service: 'events',
    resource: 'replay',
    resourceName: '*',
  });
  return [
    allow('Replay', ['events:StartReplay'], [archive.archiveArn, bus.eventBusArn, replays]),
    allow('EndReplay', ['events:CancelReplay'], [replays]),
    // The action knows no resources.
    allow('ShowReplays', ['events:ListReplays'], ['*']),
  ];
}

/** The worker starts, redrives, stops and watches executions; it cannot read a payload. */
export function workerStatements(
  messaging: MessagingStack,
  arns: StatesArns,
  dispatcher: Stage['dispatcher'],
): PolicyStatement[] {
  const { jobRequests, executionEvents } = messaging;
  const own = dispatcher === 'worker' ? [jobRequests, executionEvents] : [executionEvents];
  const received = [...own, ...messaging.subscribers];
  const queues = [jobRequests, executionEvents, ...messaging.subscribers].flatMap(
    ({ queue, dlq }) => [queue.queueArn, dlq.queueArn],
  );
  return [
    allow('Relay', ['sqs:SendMessage'], [jobRequests.queue.queueArn]),
    allow('Publish', ['events:PutEvents'], [messaging.bus.eventBusArn]),
    allow(
      'Receive',
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'],
      received.map(({ queue }) => queue.queueArn),
    ),
    allow('QueueDepths', ['sqs:GetQueueAttributes'], queues),
    // The reconciler looks whose message died; what it receives it gives back.
    allow(
      'LookAtDeadLetters',
      ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility'],
      [jobRequests.dlq.queueArn],
    ),
    ...executionStatements(arns),
    allow('ReadFailures', ['states:GetExecutionHistory'], [arns.executions]),
    allow('ListFailedChildren', ['states:ListExecutions'], [arns.mapRuns]),
    allow('ReadFailedChildren', ['states:DescribeExecution'], [arns.children]),
    allow(
      'ArchiveJobs',
      ['s3:PutObject'],
      [messaging.objectsArn('jobs/*', messaging.jobArchiveName)],
    ),
    // Whether Step Functions answers at all; the action knows no resources.
    allow('Probe', ['states:ListStateMachines'], ['*']),
  ];
}

/**
 * The dispatcher as a function: Lambda receives and deletes in its role's name
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html#events-sqs-permissions), and it puts messages
 * back itself, or sends on what waited for one in the outbox.
 */
export function dispatcherStatements(
  { jobRequests }: MessagingStack,
  arns: StatesArns,
): PolicyStatement[] {
  const queue = [jobRequests.queue.queueArn];
  return [
    allow(
      'EventSource',
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      queue,
    ),
    allow('PutBack', ['sqs:SendMessage', 'sqs:ChangeMessageVisibility'], queue),
    ...executionStatements(arns),
  ];
}

/** What the dispatcher does in Step Functions, in the worker or as a function. */
function executionStatements({ machines, executions }: StatesArns): PolicyStatement[] {
  const start = allow('Start', ['states:StartExecution'], [machines]);
  // An alias is asked about by its machine's ARN and this key:
  // https://docs.aws.amazon.com/step-functions/latest/dg/auth-version-alias.html
  start.addCondition('ForAnyValue:StringEquals', { 'states:StateMachineQualifier': [liveAlias] });
  return [
    start,
    allow(
      'Executions',
      ['states:DescribeExecution', 'states:RedriveExecution', 'states:StopExecution'],
      [executions],
    ),
    // A provider's answer to a waiting state: the token is the permission, the action knows no resources.
    allow('Callbacks', ['states:SendTaskSuccess'], ['*']),
  ];
}
