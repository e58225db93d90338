/**
 * What roles may do and is not called while the jobs of runs-here.test.ts go through: each with its reason, and no
 * more. An entry that no role has any longer fails the test as well.
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
    actions: ['s3:PutObject', 's3:AbortMultipartUpload'],
    reason: 'Written only where rows failed; aborted only where a large upload fails half way.',
  },
  {
    component: /^api$/,
    actions: ['sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'],
    reason:
      'An operator redrives or discards dead letters, of which there are none here (test/operations/).',
  },
  {
    component: /^api$/,
    actions: ['events:StartReplay', 'events:ListReplays', 'events:CancelReplay'],
    reason: 'An operator has events replayed (test/events/replay.test.ts).',
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
    actions: ['sqs:SendMessage'],
    reason: 'The sweep sends what the API could not, or what was put off.',
  },
  {
    component: /^worker$/,
    actions: ['sqs:ChangeMessageVisibility', 'states:ListStateMachines'],
    reason: 'In an outage only: messages are given back, and the circuit asks whether it is over.',
  },
  {
    component: /^worker$/,
    actions: [
      'states:DescribeExecution',
      'states:StopExecution',
      'states:GetExecutionHistory',
      'states:ListExecutions',
    ],
    reason:
      'The reconciler’s and the dispatcher’s, where an execution is in doubt, cancelled or fails for Lambda’s own reasons; histories also for the times of states.',
  },
  {
    component: /^worker$/,
    actions: ['s3:PutObject'],
    reason: 'Retention archives jobs that ended long ago (test/operations/retention.test.ts).',
  },
  {
    component: /^worker$/,
    actions: ['events:PutEvents', 'states:SendTaskSuccess'],
    reason: 'Events and callbacks, as far as the jobs’ types have any.',
  },
];
