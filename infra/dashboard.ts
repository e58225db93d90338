import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { alertRules } from '../jobs/alert-rules.ts';
import { metricNamespace } from './alarm-metrics.ts';
import type { OperationsInputs } from './operations-stack.ts';

const period = Duration.minutes(1);

/** One page in the order of a job's way: what fires, arrivals, queues, executions, tasks, the database. */
export function operationsDashboard(
  scope: Construct,
  { data, messaging, orchestration, services }: OperationsInputs,
  alarms: readonly cloudwatch.IAlarm[],
): cloudwatch.Dashboard {
  const graph = (title: string, left: cloudwatch.IMetric[]): cloudwatch.GraphWidget =>
    new cloudwatch.GraphWidget({ title, left, width: 8, period });
  const { jobRequests, executionEvents } = messaging;
  const pairs = [jobRequests, executionEvents, ...messaging.subscribers];
  const machines = [...orchestration.machines.values()];
  const functions = [...orchestration.functions.values()];
  return new cloudwatch.Dashboard(scope, 'Dashboard', {
    dashboardName: 'pawl',
    widgets: [
      [new cloudwatch.AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24 })],
      [
        graph('Requests', [services.targets.metrics.requestCount({ statistic: 'Sum' })]),
        graph('Response time p99', [
          services.targets.metrics.targetResponseTime({ statistic: 'p99' }),
        ]),
        graph(
          'Alert values',
          alertRules.map(
            ({ name }) =>
              new cloudwatch.Metric({
                namespace: metricNamespace,
                metricName: name,
                statistic: 'Maximum',
              }),
          ),
        ),
      ],
      [
        graph(
          'Messages waiting',
          pairs.map(({ queue }) => queue.metricApproximateNumberOfMessagesVisible()),
        ),
        graph(
          'Age of the oldest message',
          pairs.map(({ queue }) => queue.metricApproximateAgeOfOldestMessage()),
        ),
        graph(
          'Dead letters',
          pairs.map(({ dlq }) => dlq.metricApproximateNumberOfMessagesVisible()),
        ),
      ],
      [
        graph(
          'Executions started',
          machines.map((machine) => machine.metricStarted()),
        ),
        graph(
          'Executions failed',
          machines.map((machine) => machine.metricFailed()),
        ),
        graph(
          'Transitions throttled',
          machines.map((machine) => machine.metricThrottled()),
        ),
      ],
      [
        graph(
          'Task duration p99',
          functions.map((task) => task.metricDuration({ statistic: 'p99' })),
        ),
        graph(
          'Task errors',
          functions.map((task) => task.metricErrors()),
        ),
        graph(
          'Task throttles',
          functions.map((task) => task.metricThrottles()),
        ),
      ],
      [
        graph('Database CPU', [data.instance.metricCPUUtilization()]),
        graph('Database connections', [data.instance.metricDatabaseConnections()]),
        graph('Database free storage', [data.instance.metricFreeStorageSpace()]),
      ],
    ],
  });
}
