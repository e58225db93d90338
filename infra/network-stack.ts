import { Stack, type StackProps } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { retentionOf, removalOf } from './lifetimes.ts';
import type { Stage } from './stages.ts';

/** The VPC: public subnets for the load balancer, private ones for tasks, isolated ones for the database. */
export class NetworkStack extends Stack {
  readonly vpc: ec2.IVpc;
  /** Who may be reached by whom is said here, once; the stacks above put their parts into these groups. */
  readonly groups: {
    readonly loadBalancer: ec2.SecurityGroup;
    readonly api: ec2.SecurityGroup;
    readonly worker: ec2.SecurityGroup;
    readonly tasks: ec2.SecurityGroup;
    readonly migrations: ec2.SecurityGroup;
    readonly proxy: ec2.SecurityGroup;
    readonly database: ec2.SecurityGroup;
    readonly endpoints: ec2.SecurityGroup;
  };
  readonly serviceSubnets: ec2.SubnetSelection;

  constructor(scope: Construct, id: string, stage: Stage, props: StackProps) {
    super(scope, id, props);
    const { natGateways, interfaceEndpoints } = stage.network;
    // The CDK's classes are not quite their own interfaces under exactOptionalPropertyTypes; so in the other stacks.
    this.vpc = new ec2.Vpc(this, 'Vpc', {
      ipProtocol: ec2.IpProtocol.DUAL_STACK,
      maxAzs: 2,
      natGateways,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        // Only what runs in a service without a NAT gateway takes a public address, and asks for it itself.
        {
          name: 'public',
          subnetType: ec2.SubnetType.PUBLIC,
          cidrMask: 22,
          mapPublicIpOnLaunch: false,
        },
        { name: 'private', subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 20 },
        { name: 'database', subnetType: ec2.SubnetType.PRIVATE_ISOLATED, cidrMask: 24 },
      ],
    }) as ec2.IVpc;
    this.vpc.addFlowLog('FlowLog', {
      destination: ec2.FlowLogDestination.toCloudWatchLogs(
        new LogGroup(this, 'FlowLogs', {
          retention: retentionOf(stage),
          removalPolicy: removalOf(stage),
        }),
      ),
      trafficType: ec2.FlowLogTrafficType.REJECT,
    });
    // Without a NAT gateway, images and AWS's services are reached from public subnets; nobody may call in.
    this.serviceSubnets = { subnetGroupName: natGateways === 0 ? 'public' : 'private' };
    this.groups = this.#securityGroups();
    this.#endpoints(interfaceEndpoints);
  }

  #securityGroups(): NetworkStack['groups'] {
    const group = (id: string, description: string): ec2.SecurityGroup =>
      new ec2.SecurityGroup(this, id, { vpc: this.vpc, description, allowAllIpv6Outbound: true });
    const groups = {
      loadBalancer: group('LoadBalancer', 'The load balancer; everybody may call in, by TLS'),
      api: group('Api', 'The API; only the load balancer may call in'),
      worker: group('Worker', 'The worker; nobody may call in'),
      tasks: group('Tasks', 'Lambda functions; nobody may call in'),
      migrations: group('Migrations', 'The function that migrates the database'),
      proxy: group('Proxy', 'RDS Proxy, for the functions'),
      database: group('Database', 'PostgreSQL'),
      endpoints: group('Endpoints', 'Private ways to AWS services'),
    };
    const postgres = ec2.Port.POSTGRES;
    for (const from of [groups.api, groups.worker, groups.migrations, groups.proxy, groups.tasks]) {
      groups.database.addIngressRule(from, postgres, 'Pawl');
    }
    groups.proxy.addIngressRule(groups.tasks, postgres, 'Lambda functions');
    for (const from of [groups.api, groups.worker, groups.migrations, groups.tasks]) {
      groups.endpoints.addIngressRule(from, ec2.Port.HTTPS, 'Pawl');
    }
    return groups;
  }

  #endpoints(all: boolean): void {
    this.vpc.addGatewayEndpoint('S3', { service: ec2.GatewayVpcEndpointAwsService.S3 });
    const { InterfaceVpcEndpointAwsService: services } = ec2;
    // The functions have no other way to their secrets.
    const needed = { SecretsManager: services.SECRETS_MANAGER };
    const others = {
      Sqs: services.SQS,
      StepFunctions: services.STEP_FUNCTIONS,
      EventBridge: services.EVENTBRIDGE,
      Logs: services.CLOUDWATCH_LOGS,
      EcrApi: services.ECR,
      EcrDocker: services.ECR_DOCKER,
    };
    for (const [name, service] of Object.entries({ ...needed, ...(all ? others : {}) })) {
      this.vpc.addInterfaceEndpoint(name, {
        service,
        open: false,
        securityGroups: [this.groups.endpoints],
        subnets: all
          ? { subnetGroupName: 'private' }
          : {
              subnetGroupName: 'private',
              availabilityZones: this.vpc.availabilityZones.slice(0, 1),
            },
      });
    }
  }
}
