import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { type IGrantable, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import * as rds from 'aws-cdk-lib/aws-rds';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { removalOf, retentionOf } from './lifetimes.ts';
import type { NetworkStack } from './network-stack.ts';
import type { Stage } from './stages.ts';

/** The database and its role of all processes of Pawl; the migration function makes the role. */
export const database = { name: 'pawl', role: 'pawl', admin: 'pawl_admin' } as const;

const instanceTypes = {
  't4g.micro': ec2.InstanceType.of(ec2.InstanceClass.T4G, ec2.InstanceSize.MICRO),
  'r8g.large': ec2.InstanceType.of(ec2.InstanceClass.R8G, ec2.InstanceSize.LARGE),
};

/** PostgreSQL, RDS Proxy where the stage has one, and the secret that holds third parties' keys. */
export class DataStack extends Stack {
  readonly instance: rds.DatabaseInstance;
  /** As services log in: no password, a token made from their role's credentials. */
  readonly serviceUrl: string;
  /** As Lambda functions log in. */
  readonly taskUrl: string;
  readonly masterSecret: ISecret;
  /** Variables of jobs/config.ts that are secrets, a flat JSON object, filled in by hand. */
  readonly settings: ISecret;
  readonly #proxy: rds.DatabaseProxy | undefined;

  constructor(
    scope: Construct,
    id: string,
    stage: Stage,
    network: NetworkStack,
    props: StackProps,
  ) {
    super(scope, id, props);
    this.instance = this.#postgres(stage, network);
    const { secret } = this.instance;
    if (secret === undefined) throw new Error('RDS keeps the master password in a secret');
    this.masterSecret = secret;
    this.#proxy = stage.database.proxy ? this.#rdsProxy(network) : undefined;
    this.serviceUrl = urlOf(this.instance.dbInstanceEndpointAddress);
    this.taskUrl = urlOf(this.#proxy?.endpoint ?? this.instance.dbInstanceEndpointAddress);
    this.settings = this.#settingsSecret(stage);
  }

  /** Logging in as Pawl's role: the API and the worker, which reach the instance itself. */
  grantServiceLogin(grantee: IGrantable): void {
    this.instance.grantConnect(grantee, database.role);
  }

  /** The same for Lambda functions, through the proxy where there is one. */
  grantTaskLogin(grantee: IGrantable): void {
    if (this.#proxy === undefined) this.instance.grantConnect(grantee, database.role);
    else this.#proxy.grantConnect(grantee, database.role);
  }

  #postgres(stage: Stage, { vpc, groups }: NetworkStack): rds.DatabaseInstance {
    const engine = rds.DatabaseInstanceEngine.postgres({
      version: rds.PostgresEngineVersion.VER_18_3,
    });
    // RDS would make it, and keep it for ever.
    const logs = new LogGroup(this, 'PostgresLogs', {
      logGroupName: `/aws/rds/instance/${database.name}/postgresql`,
      retention: retentionOf(stage),
      removalPolicy: removalOf(stage),
    });
    const instance = new rds.DatabaseInstance(this, 'Postgres', {
      instanceIdentifier: database.name,
      engine,
      instanceType: instanceTypes[stage.database.instance],
      vpc,
      vpcSubnets: { subnetGroupName: 'database' },
      // Its rules stand in the network stack; nothing here adds to them.
      securityGroups: [
        ec2.SecurityGroup.fromSecurityGroupId(this, 'Group', groups.database.securityGroupId, {
          mutable: false,
        }),
      ],
      databaseName: database.name,
      // RDS makes, keeps and rotates this password; only migrations use it.
      credentials: rds.Credentials.fromUsername(database.admin),
      manageMasterUserPassword: true,
      iamAuthentication: true,
      allocatedStorage: stage.database.storageGb,
      maxAllocatedStorage: stage.database.storageGb * 10,
      storageType: rds.StorageType.GP3,
      storageEncrypted: true,
      multiAz: stage.database.multiAz,
      backupRetention: Duration.days(stage.database.backupDays),
      deletionProtection: stage.deletionProtection,
      removalPolicy: stage.deletionProtection ? RemovalPolicy.SNAPSHOT : RemovalPolicy.DESTROY,
      deleteAutomatedBackups: !stage.deletionProtection,
      autoMinorVersionUpgrade: true,
      caCertificate: rds.CaCertificate.RDS_CA_RSA2048_G1,
      cloudwatchLogsExports: ['postgresql'],
      parameterGroup: new rds.ParameterGroup(this, 'Parameters', {
        engine,
        parameters: {
          'rds.force_ssl': '1',
          log_min_duration_statement: '1000',
          // No DETAIL, which holds rows and parameters: users' data.
          log_error_verbosity: 'terse',
          log_lock_waits: '1',
          idle_in_transaction_session_timeout: '60000',
        },
      }),
    });
    instance.node.addDependency(logs);
    return instance;
  }

  #settingsSecret(stage: Stage): ISecret {
    return new Secret(this, 'Settings', {
      secretName: 'pawl/settings',
      description:
        'Variables of docs/configuration.md that are secrets: {"WEBHOOK_SECRET": "whsec_…"}',
      generateSecretString: { secretStringTemplate: '{}', generateStringKey: 'UNUSED' },
      removalPolicy: removalOf(stage),
    }) as ISecret;
  }

  #rdsProxy({ vpc, groups }: NetworkStack): rds.DatabaseProxy {
    const role = new Role(this, 'ProxyRole', {
      assumedBy: new ServicePrincipal('rds.amazonaws.com'),
    });
    this.instance.grantConnect(role, database.role);
    return new rds.DatabaseProxy(this, 'Proxy', {
      role,
      proxyTarget: rds.ProxyTarget.fromInstance(this.instance),
      vpc,
      vpcSubnets: { subnetGroupName: 'database' },
      securityGroups: [groups.proxy],
      // IAM on both sides: the proxy holds no password.
      defaultAuthScheme: rds.DefaultAuthScheme.IAM_AUTH,
      requireTLS: true,
      borrowTimeout: Duration.seconds(5),
      maxConnectionsPercent: 80,
    });
  }
}

/** Its value and nothing about it, as the processes ask for it. */
export const readSecret = (secret: ISecret): PolicyStatement =>
  new PolicyStatement({
    actions: ['secretsmanager:GetSecretValue'],
    resources: [secret.secretArn],
  });

const urlOf = (host: string): string => `postgres://${database.role}@${host}:5432/${database.name}`;
