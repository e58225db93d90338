import { Duration } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { FunctionBundle } from './bundle-functions.ts';
import type { Variables } from './environment.ts';
import { removalOf, retentionOf } from './lifetimes.ts';
import type { NetworkStack } from './network-stack.ts';
import type { Stage } from './stages.ts';

type Options = {
  readonly stage: Stage;
  readonly network: NetworkStack;
  readonly group: ec2.SecurityGroup;
  readonly functionName: string;
  readonly description: string;
  readonly bundle: FunctionBundle;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly concurrency?: number;
  readonly environment: Variables;
};

/** A function in the VPC with a role and a log group of its own; its role may write its logs and traces, no more. */
export function pawlFunction(scope: Construct, id: string, options: Options): lambda.Function {
  const { stage, network, functionName, bundle } = options;
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    logGroupName: `/aws/lambda/${functionName}`,
    retention: retentionOf(stage),
    removalPolicy: removalOf(stage),
  });
  const role = new Role(scope, `${id}Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    description: `Of the function ${functionName}`,
  });
  logGroup.grantWrite(role);
  role.addToPolicy(vpcAccess());
  return new lambda.Function(scope, id, {
    functionName,
    description: options.description,
    runtime: lambda.Runtime.NODEJS_24_X,
    architecture: lambda.Architecture.ARM_64,
    code: lambda.Code.fromAsset(bundle.folder),
    handler: bundle.handler,
    timeout: Duration.seconds(options.timeoutSeconds),
    memorySize: options.memoryMb,
    ...(options.concurrency === undefined
      ? {}
      : { reservedConcurrentExecutions: options.concurrency }),
    environment: {
      ...options.environment,
      // RDS' own authority, which Lambda brings along: https://docs.aws.amazon.com/lambda/latest/dg/lambda-nodejs.html
      NODE_EXTRA_CA_CERTS: '/var/runtime/ca-cert.pem',
    },
    vpc: network.vpc,
    vpcSubnets: { subnetGroupName: 'private' },
    ipv6AllowedForDualStack: true,
    securityGroups: [options.group],
    role,
    logGroup,
    loggingFormat: lambda.LoggingFormat.JSON,
    systemLogLevelV2: lambda.SystemLogLevel.WARN,
    tracing: lambda.Tracing.ACTIVE,
  });
}

/**
 * Lambda's own way into a VPC; these actions know no resources
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions).
 */
const vpcAccess = (): PolicyStatement =>
  new PolicyStatement({
    sid: 'LambdaInVpc',
    actions: [
      'ec2:AssignPrivateIpAddresses',
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:UnassignPrivateIpAddresses',
    ],
    resources: ['*'],
  });
