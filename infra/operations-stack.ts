import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as elb from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type AlertRule, alertRules } from '../jobs/alert-rules.ts';
import { metricNamespace } from './alarm-metrics.ts';
import type { DataStack } from './data-stack.ts';
import { operationsDashboard } from './dashboard.ts';
import type { MessagingStack } from './messaging-stack.ts';
import type { OrchestrationStack } from './orchestration-stack.ts';
import type { ServicesStack } from './services-stack.ts';

export type OperationsInputs = {
  readonly data: DataStack;
  readonly messaging: MessagingStack;
  readonly orchestration: OrchestrationStack;
  readonly services: ServicesStack;
};

const minute = Duration.minutes(1);

/** Alarms, the dashboard, and the two topics that people subscribe to: one that wakes them, one that waits. */
export class OperationsStack extends Stack {
  readonly #topics: Readonly<Record<AlertRule['severity'], sns.Topic>>;
  readonly #inputs: OperationsInputs;
  readonly #alarms: cloudwatch.Alarm[] = [];

  constructor(scope: Construct, id: string, inputs: OperationsInputs, props: StackProps) {
    super(scope, id, props);
    this.#inputs = inputs;
    const key = this.#topicKey();
    this.#topics = { page: this.#topic('page', key), ticket: this.#topic('ticket', key) };
    for (const rule of alertRules) this.#ruleAlarm(rule);
    this.#queueAlarms();
    this.#platformAlarms();
    operationsDashboard(this, inputs, this.#alarms);
  }

  /** AWS' own key for SNS lets no alarm through. */
  #topicKey(): Key {
    const key = new Key(this, 'TopicKey', {
      description: 'Encrypts alarms on their way to people',
      enableKeyRotation: true,
    });
    key.grantEncryptDecrypt(new ServicePrincipal('cloudwatch.amazonaws.com'));
    return key;
  }

  #topic(name: AlertRule['severity'], masterKey: Key): sns.Topic {
    return new sns.Topic(this, `${name}Topic`, {
      topicName: `pawl-${name}`,
      displayName: `Pawl: ${name}`,
      masterKey,
      enforceSSL: true,
    });
  }

  /** One of jobs/alert-rules.ts: each worker logs the values once a minute, and CloudWatch reads the line. */
  #ruleAlarm(rule: AlertRule): void {
    const metricName = rule.name;
    new MetricFilter(this, `${rule.name}Metric`, {
      logGroup: this.#inputs.services.workerLogs,
      filterPattern: FilterPattern.numberValue(`$.alerts.${metricName}`, '>=', 0),
      metricNamespace,
      metricName,
      metricValue: `$.alerts.${metricName}`,
    });
    const periods = Math.max(1, Math.ceil(rule.forSeconds / 60));
    this.#alarm(rule.name, rule.severity, {
      description: `${rule.summary}: above ${rule.above} ${rule.unit}. docs/runbooks/${rule.runbook}`,
      metric: new cloudwatch.Metric({
        namespace: metricNamespace,
        metricName,
        statistic: 'Maximum',
        period: minute,
      }),
      above: rule.above,
      periods,
      // Without a worker there is no line at all; that is one alarm, not ten.
      missing:
        rule.name === 'NoWorker'
          ? cloudwatch.TreatMissingData.BREACHING
          : cloudwatch.TreatMissingData.NOT_BREACHING,
    });
  }

  /** From SQS itself, so that they fire also where nobody is left to log. */
  #queueAlarms(): void {
    const { jobRequests, executionEvents, subscribers } = this.#inputs.messaging;
    const pairs = [
      { name: 'job-requests', ...jobRequests },
      { name: 'execution-events', ...executionEvents },
      ...subscribers,
    ];
    for (const { name, queue, dlq } of pairs) {
      this.#alarm(`${name}-dlq`, 'ticket', {
        description: `Messages whose consumers died lie in ${name}'s dead-letter queue. docs/runbooks/dead-letters-and-quarantine.md`,
        metric: dlq.metricApproximateNumberOfMessagesVisible({
          statistic: 'Maximum',
          period: minute,
        }),
        above: 0,
        periods: 1,
      });
      this.#alarm(`${name}-age`, 'page', {
        description: `Messages of ${name} wait. docs/runbooks/backlog-grows.md`,
        metric: queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: minute }),
        above: 300,
        periods: 3,
      });
    }
  }

  #platformAlarms(): void {
    const { data, orchestration, services } = this.#inputs;
    this.#alarm('ApiErrors', 'page', {
      description: 'The API answers 5xx. docs/runbooks/database-slow.md is the usual reason',
      metric: services.targets.metrics.httpCodeTarget(elb.HttpCodeTarget.TARGET_5XX_COUNT, {
        statistic: 'Sum',
        period: minute,
      }),
      above: 5,
      periods: 3,
    });
    this.#alarm('ApiUnhealthy', 'page', {
      description: 'Fewer API tasks than there should be answer their health check',
      metric: services.targets.metrics.unhealthyHostCount({ statistic: 'Maximum', period: minute }),
      above: 0,
      periods: 5,
    });
    this.#alarm('DatabaseStorage', 'page', {
      description: 'Less than 2 GiB of the database are free. docs/runbooks/database-slow.md',
      metric: data.instance.metricFreeStorageSpace({
        statistic: 'Minimum',
        period: Duration.minutes(5),
      }),
      above: 2 * 1024 ** 3,
      periods: 1,
      comparison: cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
    });
    this.#alarm('DatabaseCpu', 'ticket', {
      description: 'The database works at its limit. docs/runbooks/database-slow.md',
      metric: data.instance.metricCPUUtilization({
        statistic: 'Average',
        period: Duration.minutes(5),
      }),
      above: 85,
      periods: 3,
    });
    for (const [type, machine] of orchestration.machines) {
      this.#alarm(`Throttled-${type}`, 'ticket', {
        description: `Step Functions throttles state transitions of ${type}: executions slow down. docs/scale.md`,
        metric: machine.metricThrottled({ statistic: 'Sum', period: minute }),
        above: 0,
        periods: 5,
      });
    }
    for (const [task, made] of orchestration.functions) {
      this.#alarm(`Throttles-${task}`, 'ticket', {
        description: `More of ${task} is wanted at once than its share of database connections allows. docs/scale.md`,
        metric: made.metricThrottles({ statistic: 'Sum', period: minute }),
        above: 10,
        periods: 5,
      });
    }
  }

  #alarm(
    name: string,
    severity: AlertRule['severity'],
    options: {
      readonly description: string;
      readonly metric: cloudwatch.IMetric;
      readonly above: number;
      readonly periods: number;
      readonly missing?: cloudwatch.TreatMissingData;
      readonly comparison?: cloudwatch.ComparisonOperator;
    },
  ): void {
    const alarm = new cloudwatch.Alarm(this, name, {
      alarmName: `pawl-${name}`,
      alarmDescription: options.description,
      metric: options.metric,
      threshold: options.above,
      evaluationPeriods: options.periods,
      comparisonOperator:
        options.comparison ?? cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: options.missing ?? cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    const action = new SnsAction(this.#topics[severity]);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    this.#alarms.push(alarm);
  }
}
