import type { Account, Found } from './template.ts';

export const accountId = '000000000000';
export const region = 'us-east-1';

const named = (found: Found, property: string): string => {
  const name = found.properties[property];
  // Without a name CloudFormation makes one.
  return typeof name === 'string' ? name : `${found.concern}-${found.id}`.toLowerCase();
};

/** How CloudFormation answers `Ref` and `Fn::GetAtt`, for what Pawl's stacks refer to. */
const attributes: Readonly<Record<string, Readonly<Record<string, (found: Found) => string>>>> = {
  'AWS::SQS::Queue': {
    Ref: (found) => `https://sqs.${region}.amazonaws.com/${accountId}/${named(found, 'QueueName')}`,
    Arn: (found) => `arn:aws:sqs:${region}:${accountId}:${named(found, 'QueueName')}`,
    QueueName: (found) => named(found, 'QueueName'),
  },
  'AWS::Lambda::Function': {
    Ref: (found) => named(found, 'FunctionName'),
    Arn: (found) =>
      `arn:aws:lambda:${region}:${accountId}:function:${named(found, 'FunctionName')}`,
  },
  'AWS::StepFunctions::StateMachine': {
    Ref: (found) => machineArn(found),
    Arn: (found) => machineArn(found),
    Name: (found) => named(found, 'StateMachineName'),
    StateMachineRevisionId: (found) => `revision-of-${found.id}`,
  },
  'AWS::StepFunctions::StateMachineVersion': { Ref: (found) => `version-${found.id}` },
  'AWS::SecretsManager::Secret': {
    Ref: (found) => `arn:aws:secretsmanager:${region}:${accountId}:secret:${named(found, 'Name')}`,
  },
  'AWS::RDS::DBInstance': {
    Ref: (found) => named(found, 'DBInstanceIdentifier'),
    'Endpoint.Address': () => 'postgres.internal',
    DbiResourceId: () => 'db-RESOURCE',
    'MasterUserSecret.SecretArn': () =>
      `arn:aws:secretsmanager:${region}:${accountId}:secret:rds!db`,
  },
  'AWS::RDS::DBProxy': {
    Endpoint: () => 'proxy.internal',
    DBProxyArn: () => `arn:aws:rds:${region}:${accountId}:db-proxy:prx-RESOURCE`,
  },
  'AWS::Logs::LogGroup': {
    Ref: (found) => named(found, 'LogGroupName'),
    Arn: (found) =>
      `arn:aws:logs:${region}:${accountId}:log-group:${named(found, 'LogGroupName')}:*`,
  },
  'AWS::Events::EventBus': {
    Ref: (found) => named(found, 'Name'),
    Arn: (found) => `arn:aws:events:${region}:${accountId}:event-bus/${named(found, 'Name')}`,
  },
  'AWS::Events::Archive': {
    Arn: (found) => `arn:aws:events:${region}:${accountId}:archive/${named(found, 'ArchiveName')}`,
  },
  'AWS::SNS::Topic': {
    Ref: (found) => `arn:aws:sns:${region}:${accountId}:${named(found, 'TopicName')}`,
  },
  'AWS::S3::Bucket': {
    Ref: (found) => named(found, 'BucketName'),
    Arn: (found) => `arn:aws:s3:::${found.id.toLowerCase()}`,
  },
  'AWS::IAM::Role': {
    Ref: (found) => found.id,
    Arn: (found) => `arn:aws:iam::${accountId}:role/${found.id}`,
  },
};

const machineArn = (found: Found): string =>
  `arn:aws:states:${region}:${accountId}:stateMachine:${named(found, 'StateMachineName')}`;

/** What a person gives at a deployment (docs/deploy.md). */
export const givenParameters: Readonly<Record<string, string>> = {
  WebhookUrl: 'https://webhooks.example.com/',
  PaymentUrl: 'https://payments.example.com/',
  CallbackBaseUrl: 'https://api.example.com/',
  EmailFrom: 'Shop <orders@example.com>',
  CertificateArn: `arn:aws:acm:${region}:${accountId}:certificate/1`,
  BootstrapVersion: '1',
};

export const localAccount = (parameters: Readonly<Record<string, string>>): Account => ({
  accountId,
  region,
  parameters,
  attribute: (found, name) => attributes[found.type]?.[name]?.(found),
});
