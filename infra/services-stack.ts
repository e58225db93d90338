import { CfnOutput, CfnParameter, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import * as acm from 'aws-cdk-lib/aws-certificatemanager';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as ecs from 'aws-cdk-lib/aws-ecs';
import * as elb from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { alarmLogGroupName } from './alarm-metrics.ts';
import { scaleByBacklog } from './backlog-scaling.ts';
import { readSecret } from './data-stack.ts';
import { dispatcherFunction } from './dispatcher-function.ts';
import { assertComplete, optionalParameters, type Variables } from './environment.ts';
import { removalOf, retentionOf } from './lifetimes.ts';
import { liveAlias, type OrchestrationInputs } from './orchestration-stack.ts';
import { apiStatements, workerStatements } from './permissions/service-permissions.ts';
import { statesArns } from './permissions/states-arns.ts';
import type { ServiceSize, Stage } from './stages.ts';

export type ServicesInputs = OrchestrationInputs & {
  readonly image: ecs.ContainerImage;
};

const apiPort = 3000;
/** Fargate's longest, seconds: https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_ContainerDefinition.html */
const stopTimeoutSeconds = 120;

/** The API behind its load balancer, and the worker, which nobody can call: one image, two commands. */
export class ServicesStack extends Stack {
  readonly cluster: ecs.ICluster;
  readonly api: ecs.FargateService;
  readonly worker: ecs.FargateService;
  readonly loadBalancer: elb.ApplicationLoadBalancer;
  readonly targets: elb.ApplicationTargetGroup;
  readonly workerLogs: LogGroup;
  readonly #inputs: ServicesInputs;
  readonly #given: Variables;

  constructor(scope: Construct, id: string, inputs: ServicesInputs, props: StackProps) {
    super(scope, id, props);
    this.#inputs = inputs;
    const { stage, network, data, messaging } = inputs;
    this.cluster = new ecs.Cluster(this, 'Cluster', {
      vpc: network.vpc,
      clusterName: 'pawl',
      // RunningTaskCount, by which the worker scales and NoWorker fires, is one of its metrics.
      containerInsightsV2: ecs.ContainerInsights.ENABLED,
    }) as ecs.ICluster;
    this.workerLogs = this.#logs('worker');
    // Those of mails too: the worker sends what NOTIFICATIONS_QUEUE_URL brings it.
    this.#given = optionalParameters(this, 'api', 'worker', 'tasks');
    this.worker = this.#service('Worker', stage.worker, network.groups.worker, {
      command: ['worker/server.ts'],
      environment: assertComplete('worker', {
        ...this.#environment(stage.worker),
        DISPATCH_CONCURRENCY: stage.dispatcher === 'worker' ? '40' : '0',
        // Each of several workers has its share of the account's rate.
        STARTS_PER_SECOND: String(Math.floor(stage.startsPerSecond / stage.worker.max)),
        SHUTDOWN_GRACE_MS: String((stopTimeoutSeconds - 20) * 1_000),
        STATE_MACHINE_ALIAS: liveAlias,
        ARCHIVE_BUCKET: messaging.jobArchiveName,
      }),
      logGroup: this.workerLogs,
    });
    data.grantServiceLogin(this.worker.taskDefinition.taskRole);
    this.worker.taskDefinition.addToTaskRolePolicy(readSecret(data.settings));
    const arns = statesArns(this);
    for (const statement of workerStatements(messaging, arns, stage.dispatcher)) {
      this.worker.taskDefinition.addToTaskRolePolicy(statement);
    }
    scaleByBacklog(this.worker, { ...stage.worker, queue: messaging.jobRequests.queue });
    if (stage.dispatcher === 'lambda') dispatcherFunction(this, inputs);

    this.api = this.#service('Api', stage.api, network.groups.api, {
      command: ['api/server.ts'],
      environment: assertComplete('api', {
        ...this.#environment(stage.api),
        HOST: '0.0.0.0',
        PORT: String(apiPort),
        PAYLOAD_BUCKET: messaging.payloadBucketName,
        EVENT_ARCHIVE_ARN: messaging.archive.archiveArn,
      }),
      logGroup: this.#logs('api'),
      portMappings: [{ containerPort: apiPort }],
    });
    data.grantServiceLogin(this.api.taskDefinition.taskRole);
    this.api.taskDefinition.addToTaskRolePolicy(readSecret(data.settings));
    for (const statement of apiStatements(messaging, arns)) {
      this.api.taskDefinition.addToTaskRolePolicy(statement);
    }
    this.api
      .autoScaleTaskCount({ minCapacity: stage.api.min, maxCapacity: stage.api.max })
      .scaleOnCpuUtilization('Cpu', { targetUtilizationPercent: 60 });
    ({ loadBalancer: this.loadBalancer, targets: this.targets } = this.#balance(stage));
  }

  #environment(size: ServiceSize): Variables {
    const { data, messaging } = this.#inputs;
    return {
      ...this.#given,
      LOG_LEVEL: 'info',
      AWS_REGION: this.region,
      DATABASE_URL: data.serviceUrl,
      DATABASE_AUTHENTICATION: 'iam',
      DATABASE_POOL_SIZE: String(size.poolSize),
      SETTINGS_SECRET_ARN: data.settings.secretArn,
      JOB_REQUESTS_QUEUE_URL: messaging.jobRequests.queue.queueUrl,
      JOB_REQUESTS_DLQ_URL: messaging.jobRequests.dlq.queueUrl,
      EXECUTION_EVENTS_QUEUE_URL: messaging.executionEvents.queue.queueUrl,
      EXECUTION_EVENTS_DLQ_URL: messaging.executionEvents.dlq.queueUrl,
      EVENT_BUS_NAME: messaging.bus.eventBusName,
      ...Object.fromEntries(
        messaging.subscribers.flatMap(({ variables, queue, dlq }) => [
          [variables.queue, queue.queueUrl],
          [variables.dlq, dlq.queueUrl],
        ]),
      ),
      STATE_MACHINE_ARN_PREFIX: statesArns(this).machinePrefix,
    };
  }

  #logs(name: string): LogGroup {
    const { stage } = this.#inputs;
    return new LogGroup(this, `${name}Logs`, {
      logGroupName: name === 'worker' ? alarmLogGroupName : `/pawl/${name}`,
      retention: retentionOf(stage),
      removalPolicy: removalOf(stage),
    });
  }

  #service(
    id: string,
    size: ServiceSize,
    group: ec2.SecurityGroup,
    container: {
      readonly command: string[];
      readonly environment: Variables;
      readonly logGroup: LogGroup;
      readonly portMappings?: ecs.PortMapping[];
    },
  ): ecs.FargateService {
    const { network, image, stage } = this.#inputs;
    const { logGroup, ...rest } = container;
    const taskDefinition = new ecs.FargateTaskDefinition(this, `${id}Task`, {
      family: `pawl-${id.toLowerCase()}`,
      cpu: size.cpu,
      memoryLimitMiB: size.memoryMb,
      runtimePlatform: {
        cpuArchitecture: ecs.CpuArchitecture.ARM64,
        operatingSystemFamily: ecs.OperatingSystemFamily.LINUX,
      },
    });
    taskDefinition.addContainer(id.toLowerCase(), {
      ...rest,
      image,
      essential: true,
      readonlyRootFilesystem: true,
      user: '65532',
      // Reaps what is orphaned and passes signals on.
      linuxParameters: new ecs.LinuxParameters(this, `${id}Linux`, { initProcessEnabled: true }),
      stopTimeout: Duration.seconds(stopTimeoutSeconds),
      logging: ecs.LogDrivers.awsLogs({
        logGroup,
        streamPrefix: id.toLowerCase(),
        // A slow log service must not hold up jobs.
        mode: ecs.AwsLogDriverMode.NON_BLOCKING,
      }),
    });
    return new ecs.FargateService(this, id, {
      serviceName: `pawl-${id.toLowerCase()}`,
      cluster: this.cluster,
      taskDefinition,
      desiredCount: size.min,
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { enable: true, rollback: true },
      vpcSubnets: network.serviceSubnets,
      assignPublicIp: stage.network.natGateways === 0,
      securityGroups: [group],
      enableExecuteCommand: false,
      ...(container.portMappings === undefined
        ? {}
        : { healthCheckGracePeriod: Duration.seconds(60) }),
    });
  }

  #balance(stage: Stage) {
    const { network, messaging } = this.#inputs;
    const certificateArn = new CfnParameter(this, 'CertificateArn', {
      type: 'String',
      allowedPattern: '^arn:aws[a-z-]*:acm:.+',
      description: 'The ACM certificate of the address under which the API is reached',
    });
    const loadBalancer = new elb.ApplicationLoadBalancer(this, 'LoadBalancer', {
      vpc: network.vpc,
      internetFacing: true,
      securityGroup: network.groups.loadBalancer,
      ipAddressType: elb.IpAddressType.IPV4,
      deletionProtection: stage.deletionProtection,
      dropInvalidHeaderFields: true,
      // GET /jobs/:jobId is held for up to 20 s, event streams have a heartbeat below this.
      idleTimeout: Duration.seconds(120),
    });
    loadBalancer.logAccessLogs(messaging.accessLogs, 'load-balancer');
    loadBalancer.addRedirect({ sourceProtocol: elb.ApplicationProtocol.HTTP });
    const listener = loadBalancer.addListener('Https', {
      protocol: elb.ApplicationProtocol.HTTPS,
      certificates: [
        acm.Certificate.fromCertificateArn(this, 'Certificate', certificateArn.valueAsString),
      ],
      sslPolicy: elb.SslPolicy.RECOMMENDED_TLS,
      open: true,
    });
    const targets = listener.addTargets('Api', {
      port: apiPort,
      protocol: elb.ApplicationProtocol.HTTP,
      targets: [this.api],
      deregistrationDelay: Duration.seconds(30),
      // Not /readyz: while the database is away, replacing every task would not bring it back.
      healthCheck: { path: '/healthz', interval: Duration.seconds(15), healthyThresholdCount: 2 },
    });
    new CfnOutput(this, 'ApiAddress', {
      value: loadBalancer.loadBalancerDnsName,
      description: 'Where the name of the certificate has to point to',
    });
    return { loadBalancer, targets };
  }
}
