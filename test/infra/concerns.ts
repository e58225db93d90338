// What each stack is for, by the templates of both stages: network, data, messaging, orchestration, services, migrations.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hoursPerMonth, prices } from '../../infra/cost/prices.ts';
import { counts, stageCost } from '../../infra/cost/stage-cost.ts';
import { localAccount } from './account.ts';
import { stages } from './deployed-stages.ts';
import { createResolver, type Found, resourcesOf, type Template } from './template.ts';

type Templates = ReadonlyMap<string, Template>;

const get = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  );
const only = (templates: Templates, type: string): Found => {
  const [found, ...more] = resourcesOf(templates, type);
  assert.ok(found !== undefined && more.length === 0, type);
  return found;
};

for (const { name, stage, templates, outdir } of stages) {
  const isProd = stage.name === 'prod';
  const resolve = createResolver(templates, localAccount({}));

  test(`network: private ways to AWS, and no NAT gateway in dev (${name})`, () => {
    assert.equal(resourcesOf(templates, 'AWS::EC2::NatGateway').length, isProd ? 2 : 0);
    const endpoints = resourcesOf(templates, 'AWS::EC2::VPCEndpoint').map(({ properties }) =>
      JSON.stringify(properties['ServiceName']),
    );
    const wanted = ['s3', 'secretsmanager'];
    const more = ['sqs', 'states', 'events', 'logs', 'ecr.api', 'ecr.dkr'];
    for (const service of isProd ? [...wanted, ...more] : wanted)
      assert.ok(
        endpoints.some((endpoint) => endpoint.includes(`.${service}"`)),
        `${service} in ${endpoints.join()}`,
      );
  });

  test(`data: logins by IAM, a password that RDS keeps, functions through the proxy where there is one (${name})`, () => {
    const { properties } = only(templates, 'AWS::RDS::DBInstance');
    assert.equal(properties['EnableIAMDatabaseAuthentication'], true);
    assert.equal(properties['ManageMasterUserPassword'], true);
    assert.equal(properties['MasterUserPassword'], undefined);
    assert.equal(properties['MultiAZ'], isProd);
    assert.equal(properties['BackupRetentionPeriod'], stage.database.backupDays);
    const proxies = resourcesOf(templates, 'AWS::RDS::DBProxy');
    assert.equal(proxies.length, isProd ? 1 : 0);
    for (const proxy of proxies) {
      assert.equal(proxy.properties['RequireTLS'], true);
      assert.equal(proxy.properties['DefaultAuthScheme'], 'IAM_AUTH');
    }
    const hosts = resourcesOf(templates, 'AWS::Lambda::Function')
      .filter(({ concern }) => concern === 'orchestration')
      .map((found) =>
        String(
          resolve(found.concern, get(found.properties['Environment'], 'Variables', 'DATABASE_URL')),
        ),
      );
    assert.ok(hosts.length > 5);
    const host = isProd ? 'proxy.internal' : 'postgres.internal';
    for (const url of hosts) assert.equal(new URL(url).hostname, host);
  });

  test(`messaging: TLS only, every subscriber a queue of its own, events archived (${name})`, () => {
    const queues = resourcesOf(templates, 'AWS::SQS::Queue');
    const policies = [
      ...resourcesOf(templates, 'AWS::SQS::QueuePolicy'),
      ...resourcesOf(templates, 'AWS::S3::BucketPolicy'),
      ...resourcesOf(templates, 'AWS::SNS::TopicPolicy'),
    ];
    const refusing = policies.filter(({ properties }) =>
      JSON.stringify(properties['PolicyDocument']).includes('"aws:SecureTransport":"false"'),
    );
    const topics = resourcesOf(templates, 'AWS::SNS::Topic');
    const buckets = resourcesOf(templates, 'AWS::S3::Bucket');
    assert.equal(refusing.length, queues.length + buckets.length + topics.length);
    const names = queues.map(({ properties }) => String(properties['QueueName']));
    for (const name of ['job-requests', 'execution-events', 'search-projection', 'notifications']) {
      assert.ok(names.includes(`pawl-${name}`) && names.includes(`pawl-${name}-dlq`), name);
    }
    const archive = only(templates, 'AWS::Events::Archive');
    assert.equal(archive.properties['RetentionDays'], 30);
    const subscription = only(templates, 'AWS::SNS::Subscription');
    assert.equal(subscription.properties['RawMessageDelivery'], true);
    assert.ok(get(subscription.properties['RedrivePolicy'], 'deadLetterTargetArn') !== undefined);
    const payloads = buckets.find(({ id }) => id.startsWith('Payloads'));
    assert.equal(get(payloads?.properties, 'VersioningConfiguration', 'Status'), 'Enabled');
    assert.ok(get(payloads?.properties, 'LoggingConfiguration', 'DestinationBucketName'));
  });

  test(`services: TLS at the load balancer, port 80 only redirects, nobody calls the worker (${name})`, () => {
    const listeners = resourcesOf(templates, 'AWS::ElasticLoadBalancingV2::Listener').map(
      ({ properties }) => properties,
    );
    const [tls, plain] = [443, 80].map((port) => listeners.find(({ Port }) => Port === port));
    assert.equal(listeners.length, 2);
    assert.equal(tls?.['Protocol'], 'HTTPS');
    assert.match(String(tls?.['SslPolicy']), /TLS13/);
    assert.equal(get(plain?.['DefaultActions'], 0, 'Type'), 'redirect');
    const services = resourcesOf(templates, 'AWS::ECS::Service');
    const worker = services.find(({ properties }) => properties['ServiceName'] === 'pawl-worker');
    assert.ok(
      worker !== undefined && [worker.properties['LoadBalancers'] ?? []].flat().length === 0,
    );
    const targets = resourcesOf(templates, 'AWS::ApplicationAutoScaling::ScalableTarget');
    for (const { id, properties } of targets) assert.ok(Number(properties['MinCapacity']) >= 1, id);
    assert.equal(targets.length, 2);
  });

  test(`cost: the model counts what is deployed (${name})`, () => {
    // Without those of the tests' own job type and its task, and of the dispatcher.
    const alarms = resourcesOf(templates, 'AWS::CloudWatch::Alarm').filter(
      ({ properties }) => !/hello/.test(String(properties['AlarmName'])),
    );
    assert.equal(alarms.length, counts.alarms);
    assert.equal(resourcesOf(templates, 'AWS::KMS::Key').length, counts.keys);
    // RDS makes the other one, for its administrator.
    assert.equal(resourcesOf(templates, 'AWS::SecretsManager::Secret').length, counts.secrets - 1);
    const interfaces = resourcesOf(templates, 'AWS::EC2::VPCEndpoint').filter(
      ({ properties }) => properties['VpcEndpointType'] === 'Interface',
    );
    const zones = interfaces.reduce(
      (sum, { properties }) => sum + [properties['SubnetIds']].flat().length,
      0,
    );
    const { interfaceEndpointHour } = prices;
    const monthly = stageCost(stage)['interface endpoints'] ?? 0;
    assert.equal(zones, Math.round(monthly / (hoursPerMonth * interfaceEndpointHour)));
  });

  test(`migrations run before the code that needs them; alarms come last (${name})`, () => {
    const { artifacts } = JSON.parse(readFileSync(join(outdir, 'manifest.json'), 'utf8')) as {
      artifacts: Record<string, { type: string; dependencies?: string[] }>;
    };
    const before = (concern: string): readonly string[] =>
      artifacts[`pawl-${stage.name}-${concern}`]?.dependencies ?? [];
    const id = (concern: string): string => `pawl-${stage.name}-${concern}`;
    for (const concern of ['orchestration', 'services'])
      assert.ok(before(concern).includes(id('migrations')), concern);
    assert.ok(before('services').includes(id('orchestration')));
    assert.ok(before('migrations').includes(id('data')));
    assert.ok(before('operations').includes(id('services')));
    assert.deepEqual([...templates.keys()].sort(), [
      'data',
      'messaging',
      'migrations',
      'network',
      'operations',
      'orchestration',
      'services',
    ]);
  });
}
