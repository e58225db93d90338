/**
 * What roles may do and no process was seen to call while the whole suite ran (recorded-calls.last.ts): each with its
 * reason, and no more. An entry that no role has any longer fails that test as well.
 */
export const unusedPermissions: readonly {
  readonly component: RegExp;
  readonly actions: readonly string[];
  readonly reason: string;
}[] = [
  {
    component: /./,
    actions: [
      'ec2:AssignPrivateIpAddresses',
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:UnassignPrivateIpAddresses',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'xray:PutTelemetryRecords',
      'xray:PutTraceSegments',
    ],
    reason:
      'Lambda itself uses them in the name of the function’s role: its network, logs and traces.',
  },
  {
    component: /./,
    actions: ['s3:GetObject', 's3:GetObjectVersion'],
    reason:
      'By version where the bucket keeps versions, as ours does, and without where a caller’s does not.',
  },
  {
    component: /^(plan|collect)-import$/,
    actions: ['s3:AbortMultipartUpload'],
    reason: 'Called only where a large upload fails half way.',
  },
  {
    component: /^api$/,
    actions: ['events:CancelReplay'],
    reason: 'An operator ends a replay early, here one is over before he could.',
  },
  {
    component: /^api$/,
    actions: [
      'states:ListMapRuns',
      'states:DescribeMapRun',
      'states:ListExecutions',
      'states:DescribeExecution',
    ],
    reason: 'An operator looks into distributed Maps (test/console/map-runs.test.ts).',
  },
  {
    component: /^worker$/,
    actions: ['s3:PutObject'],
    reason:
      'Retention archives jobs that ended long ago (test/operations/retention.test.ts, inside of the test’s process).',
  },
  {
    component: /^worker$/,
    actions: ['sqs:ChangeMessageVisibility', 'states:ListStateMachines'],
    reason:
      'In an outage: messages are given back, and the circuit asks whether it is over. Not every run has one long enough.',
  },
  {
    component: /^dispatch$/,
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    reason: 'Lambda itself receives and deletes, in the name of the function’s role.',
  },
  {
    component: /^dispatch$/,
    actions: ['sqs:SendMessage', 'sqs:ChangeMessageVisibility'],
    reason:
      'In an outage: a copy takes the message’s place (test/worker/lambda-dispatcher.test.ts, inside of the test’s process).',
  },
  {
    component: /^dispatch$/,
    actions: ['states:DescribeExecution'],
    reason: 'Where a redrive is in doubt, as in the worker (test/jobs/redrive-count.test.ts).',
  },
];
