import {
  CfnScalingPolicy,
  ScalableTarget,
  ServiceNamespace,
} from 'aws-cdk-lib/aws-applicationautoscaling';
import type { FargateService } from 'aws-cdk-lib/aws-ecs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

type Options = { readonly min: number; readonly max: number; readonly queue: IQueue };

/** Messages that one task works off within a minute at its least pace, so that the queue is a minute long at most. */
const backlogPerTask = 600;

/**
 * Scales a service by its queue's backlog per running task
 * (https://docs.aws.amazon.com/autoscaling/application/userguide/application-auto-scaling-target-tracking-metric-math.html).
 * Where no task runs, or Container Insights has no figure yet, the backlog counts as one task's: no division by zero.
 * An L1 construct, because the L2 takes no metric math.
 */
export function scaleByBacklog(service: FargateService, { min, max, queue }: Options): void {
  const target = new ScalableTarget(service, 'Tasks', {
    serviceNamespace: ServiceNamespace.ECS,
    scalableDimension: 'ecs:service:DesiredCount',
    resourceId: `service/${service.cluster.clusterName}/${service.serviceName}`,
    minCapacity: min,
    maxCapacity: max,
  });
  const metric = (
    id: string,
    namespace: string,
    name: string,
    stat: string,
    dimensions: object,
  ) => ({
    id,
    returnData: false,
    metricStat: {
      stat,
      metric: {
        namespace,
        metricName: name,
        dimensions: Object.entries(dimensions).map(([name, value]) => ({ name, value })),
      },
    },
  });
  new CfnScalingPolicy(service, 'BacklogPerTask', {
    policyName: 'backlog-per-task',
    policyType: 'TargetTrackingScaling',
    scalingTargetId: target.scalableTargetId,
    targetTrackingScalingPolicyConfiguration: {
      targetValue: backlogPerTask,
      scaleInCooldown: 300,
      scaleOutCooldown: 60,
      customizedMetricSpecification: {
        metrics: [
          metric('visible', 'AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'Sum', {
            QueueName: queue.queueName,
          }),
          metric('running', 'ECS/ContainerInsights', 'RunningTaskCount', 'Average', {
            ClusterName: service.cluster.clusterName,
            ServiceName: service.serviceName,
          }),
          {
            id: 'backlog',
            label: 'Backlog per task',
            expression: 'FILL(visible, 0) / IF(FILL(running, 1) < 1, 1, FILL(running, 1))',
            returnData: true,
          },
        ],
      },
    },
  });
}
