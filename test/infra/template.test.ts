// What must hold of the synthesised templates on the first day on AWS. One process for all that is asked of them, with
// concerns.ts and variables.ts: synthesising takes most of the time.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { alertRules } from '../../jobs/alert-rules.ts';
import { stateMachineNameOf, substitutionOf } from '../../statemachines/job-type.ts';
import type { Stage } from '../../infra/stages.ts';
import { givenParameters, localAccount } from './account.ts';
import './concerns.ts';
import './variables.ts';
import { registry, stages } from './deployed-stages.ts';
import { iamFileOf, iamOf } from './iam-files.ts';
import { listingDiff } from './iam-listing.ts';
import { createResolver, type Found, resourcesOf, type Template } from './template.ts';

/** One test for each stage that is deployed. */
const everywhere = (
  title: string,
  check: (templates: ReadonlyMap<string, Template>, stage: Stage, name: string) => void,
): void => {
  for (const { name, stage, templates } of stages) {
    test(`${title} (${name})`, () => check(templates, stage, name));
  }
};

const get = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  );
const seconds = (found: Found, property: string): number => Number(found.properties[property]);
const resolverOf = (templates: ReadonlyMap<string, Template>) =>
  createResolver(templates, localAccount(givenParameters));

everywhere('the state machine of every job type has the text of its file', (templates) => {
  const machines = resourcesOf(templates, 'AWS::StepFunctions::StateMachine');
  assert.deepEqual(
    new Set(machines.map(({ properties }) => properties['StateMachineName'])),
    new Set([...registry.keys()].map(stateMachineNameOf)),
  );
  for (const { properties } of machines) {
    const type = String(properties['StateMachineName']).replace(stateMachineNameOf(''), '');
    const folder = registry.get(type)?.folder ?? '';
    assert.equal(
      hashOf(String(properties['DefinitionString'])),
      hashOf(readFileSync(join(folder, 'definition.asl.json'), 'utf8')),
      type,
    );
  }
});

everywhere('a job type that was added later is deployed without a line in infra/', (templates) => {
  const names = resourcesOf(templates, 'AWS::Lambda::Function').map(
    ({ properties }) => properties['FunctionName'],
  );
  assert.ok(names.includes('pawl-say-hello'), String(names));
});

everywhere('every task of a definition is a function that the template makes', (templates) => {
  const resolve = resolverOf(templates);
  const functions = new Map(
    resourcesOf(templates, 'AWS::Lambda::Function').map(({ concern, id, properties }) => [
      String(resolve(concern, { 'Fn::GetAtt': [id, 'Arn'] })),
      properties,
    ]),
  );
  for (const { concern, properties } of resourcesOf(
    templates,
    'AWS::StepFunctions::StateMachine',
  )) {
    const substitutions = resolve(concern, properties['DefinitionSubstitutions']);
    const used = String(properties['DefinitionString']).matchAll(/\$\{([A-Za-z0-9]+)\}/g);
    for (const [, name = ''] of used) {
      const arn = String(get(substitutions, name));
      assert.ok(functions.has(arn), `\${${name}} is ${arn}`);
    }
  }
});

everywhere('a function is stopped before the states that call it give up', (templates) => {
  const timeouts = new Map(
    resourcesOf(templates, 'AWS::Lambda::Function').map(({ properties }) => [
      String(properties['FunctionName']),
      Number(properties['Timeout']),
    ]),
  );
  for (const { type, definition, tasks, timeoutSeconds } of registry.values()) {
    const machine: unknown = JSON.parse(definition);
    assert.equal(get(machine, 'TimeoutSeconds'), timeoutSeconds, type);
    for (const task of tasks) {
      const timeout = timeouts.get(`pawl-${task.name}`) ?? 0;
      assert.ok(timeout > 0 && timeout <= 900, `pawl-${task.name}: ${timeout}`);
      for (const state of statesThatCall(machine, substitutionOf(task.name))) {
        const stateTimeout = Number(get(state, 'TimeoutSeconds'));
        assert.ok(
          // A callback is waited for longer than any function runs; its Comment or heartbeat says how long.
          Number.isNaN(stateTimeout) ? 'TimeoutSecondsPath' in state : timeout < stateTimeout,
          `${type}: ${task.name} runs ${timeout} s, its state ${stateTimeout} s`,
        );
        if (!Number.isNaN(stateTimeout)) assert.ok(stateTimeout < timeoutSeconds, type);
      }
    }
  }
});

everywhere('a message stays hidden for six times its consumer’s timeout', (templates) => {
  const resolve = resolverOf(templates);
  const queues = resourcesOf(templates, 'AWS::SQS::Queue');
  const hidden = new Map(
    queues.map((queue) => [
      String(resolve(queue.concern, { 'Fn::GetAtt': [queue.id, 'Arn'] })),
      seconds(queue, 'VisibilityTimeout'),
    ]),
  );
  for (const mapping of resourcesOf(templates, 'AWS::Lambda::EventSourceMapping')) {
    const queue = String(resolve(mapping.concern, mapping.properties['EventSourceArn']));
    const name = resolve(mapping.concern, mapping.properties['FunctionName']);
    const consumer = resourcesOf(templates, 'AWS::Lambda::Function').find(
      ({ properties }) => properties['FunctionName'] === name,
    );
    assert.ok(consumer !== undefined);
    assert.ok((hidden.get(queue) ?? 0) >= 6 * seconds(consumer, 'Timeout'), queue);
    assert.deepEqual(mapping.properties['FunctionResponseTypes'], ['ReportBatchItemFailures']);
    assert.ok(Number(get(mapping.properties['ScalingConfig'], 'MaximumConcurrency')) >= 2);
  }
  // The worker's loop hides a message for 30 s and goes on hiding it; the queue's own figure is for the function.
  for (const queue of queues.filter(({ properties }) => 'RedrivePolicy' in properties)) {
    assert.ok(seconds(queue, 'VisibilityTimeout') >= 180, queue.id);
  }
});

everywhere(
  'every queue has a dead-letter queue that keeps longer and has an alarm',
  (templates) => {
    const resolve = resolverOf(templates);
    const queues = resourcesOf(templates, 'AWS::SQS::Queue');
    const byArn = new Map(
      queues.map((queue) => [resolve(queue.concern, { 'Fn::GetAtt': [queue.id, 'Arn'] }), queue]),
    );
    const alarmed = resourcesOf(templates, 'AWS::CloudWatch::Alarm').flatMap(
      ({ concern, properties }) =>
        properties['MetricName'] === 'ApproximateNumberOfMessagesVisible' &&
        properties['Threshold'] === 0
          ? [get(resolve(concern, properties['Dimensions']), 0, 'Value')]
          : [],
    );
    const sources = queues.filter(({ properties }) => 'RedrivePolicy' in properties);
    assert.ok(sources.length >= 2);
    const dlqs = sources.map((source) => {
      const policy = resolve(source.concern, source.properties['RedrivePolicy']);
      const dlq = byArn.get(get(policy, 'deadLetterTargetArn'));
      assert.ok(dlq !== undefined, source.id);
      assert.ok(
        seconds(dlq, 'MessageRetentionPeriod') > seconds(source, 'MessageRetentionPeriod'),
        source.id,
      );
      assert.ok(alarmed.includes(dlq.properties['QueueName']), dlq.id);
      return dlq.id;
    });
    assert.deepEqual(
      queues
        .map(({ id }) => id)
        .filter((id) => !dlqs.includes(id))
        .sort(),
      sources.map(({ id }) => id).sort(),
    );
    for (const rule of resourcesOf(templates, 'AWS::Events::Rule')) {
      for (const target of [rule.properties['Targets']].flat()) {
        const to = resolve(rule.concern, get(target, 'Arn'));
        if (byArn.has(to)) assert.ok(get(target, 'DeadLetterConfig', 'Arn') !== undefined, rule.id);
      }
    }
  },
);

everywhere('everything that keeps data is encrypted', (templates) => {
  for (const { id, properties } of resourcesOf(templates, 'AWS::SQS::Queue'))
    assert.equal(properties['SqsManagedSseEnabled'], true, id);
  for (const { id, properties } of resourcesOf(templates, 'AWS::S3::Bucket'))
    assert.ok('BucketEncryption' in properties, id);
  for (const { id, properties } of resourcesOf(templates, 'AWS::RDS::DBInstance'))
    assert.equal(properties['StorageEncrypted'], true, id);
  for (const { id, properties } of resourcesOf(templates, 'AWS::SNS::Topic'))
    assert.ok('KmsMasterKeyId' in properties, id);
  for (const { properties } of resourcesOf(templates, 'AWS::RDS::DBParameterGroup'))
    assert.equal(get(properties['Parameters'], 'rds.force_ssl'), '1');
});

everywhere('the database logs no rows and no parameters', (templates) => {
  const groups = resourcesOf(templates, 'AWS::RDS::DBParameterGroup');
  assert.equal(groups.length, 1);
  for (const { properties } of groups)
    assert.equal(get(properties['Parameters'], 'log_error_verbosity'), 'terse');
});

everywhere('nothing but the load balancer is public', (templates) => {
  for (const { id, properties } of resourcesOf(templates, 'AWS::EC2::SecurityGroup')) {
    const open = [properties['SecurityGroupIngress'] ?? []]
      .flat()
      .filter((rule) => get(rule, 'CidrIp') !== undefined || get(rule, 'CidrIpv6') !== undefined);
    if (!id.startsWith('LoadBalancer')) assert.deepEqual(open, [], id);
  }
  const rules = resourcesOf(templates, 'AWS::EC2::SecurityGroupIngress');
  for (const { id, properties } of rules) assert.equal(properties['CidrIp'], undefined, id);
  for (const { id, properties } of resourcesOf(templates, 'AWS::RDS::DBInstance'))
    assert.equal(properties['PubliclyAccessible'], false, id);
  for (const { id, properties } of resourcesOf(templates, 'AWS::S3::Bucket')) {
    assert.deepEqual(
      Object.values(properties['PublicAccessBlockConfiguration'] ?? {}),
      [true, true, true, true],
      id,
    );
  }
  assert.equal(resourcesOf(templates, 'AWS::ElasticLoadBalancingV2::LoadBalancer').length, 1);
  assert.equal(resourcesOf(templates, 'AWS::Lambda::Url').length, 0);
});

everywhere(
  'a page may put a payload where it was told to, and what it leaves unfinished is gone',
  (templates) => {
    const [payloads] = resourcesOf(templates, 'AWS::S3::Bucket').filter(({ id }) =>
      id.startsWith('Payloads'),
    );
    const properties = payloads?.properties;
    assert.deepEqual(get(properties, 'CorsConfiguration', 'CorsRules', 0, 'AllowedMethods'), [
      'PUT',
    ]);
    const abort = 'AbortIncompleteMultipartUpload';
    const days = get(
      properties,
      'LifecycleConfiguration',
      'Rules',
      0,
      abort,
      'DaysAfterInitiation',
    );
    assert.equal(days, 1);
  },
);

everywhere('what every role may do is what was reviewed', (templates, _stage, name) => {
  const diff = listingDiff(readFileSync(iamFileOf(name), 'utf8'), iamOf(templates));
  const hint = 'if this is meant: node test/infra/write-iam.ts, and have the difference reviewed';
  assert.ok(diff === '', `the permissions of ${name} have changed\n${diff}\n${hint}`);
});

everywhere('no policy allows an action by wildcard', (templates) => {
  const policies = resourcesOf(templates, 'AWS::IAM::Policy');
  assert.ok(policies.length > 10);
  for (const { id, properties } of policies) {
    for (const statement of [get(properties['PolicyDocument'], 'Statement')].flat()) {
      for (const action of [get(statement, 'Action')].flat())
        assert.ok(!String(action).includes('*'), `${id}: ${String(action)}`);
    }
  }
});

everywhere('redriving is allowed on executions, not on state machines', (templates) => {
  const resolve = resolverOf(templates);
  const allowed = resourcesOf(templates, 'AWS::IAM::Policy').flatMap(({ concern, properties }) =>
    [get(resolve(concern, properties['PolicyDocument']), 'Statement')]
      .flat()
      .filter((statement) => [get(statement, 'Action')].flat().includes('states:RedriveExecution'))
      .flatMap((statement) => [get(statement, 'Resource')].flat()),
  );
  assert.ok(allowed.length > 0);
  for (const resource of allowed)
    assert.match(String(resource), /^arn:aws:states:[\w-]+:\d+:execution:pawl-/);
});

everywhere('logs of executions are complete and hold no payload', (templates) => {
  for (const { id, properties } of resourcesOf(templates, 'AWS::StepFunctions::StateMachine')) {
    assert.equal(get(properties['LoggingConfiguration'], 'Level'), 'ALL', id);
    assert.equal(get(properties['LoggingConfiguration'], 'IncludeExecutionData') ?? false, false);
    assert.equal(get(properties['TracingConfiguration'], 'Enabled'), true, id);
  }
  assert.equal(
    resourcesOf(templates, 'AWS::StepFunctions::StateMachineAlias').length,
    registry.size,
  );
});

everywhere(
  'every function runs on arm64 and a supported Node, keeps its logs for a time',
  (templates) => {
    const groups = resourcesOf(templates, 'AWS::Logs::LogGroup');
    for (const { id, properties } of groups) assert.ok('RetentionInDays' in properties, id);
    const logged = groups.map(({ properties }) => properties['LogGroupName']);
    const ours = resourcesOf(templates, 'AWS::Lambda::Function').filter(({ properties }) =>
      String(properties['FunctionName']).startsWith('pawl-'),
    );
    assert.ok(ours.length > registry.size);
    for (const { properties } of ours) {
      const name = String(properties['FunctionName']);
      assert.deepEqual(properties['Architectures'], ['arm64'], name);
      assert.equal(properties['Runtime'], 'nodejs24.x', name);
      assert.ok(logged.includes(`/aws/lambda/${name}`), name);
    }
  },
);

everywhere(
  'all functions and services together want fewer connections than there are',
  (templates, stage) => {
    const pools = resourcesOf(templates, 'AWS::Lambda::Function').map(({ properties }) => {
      const pool = Number(get(properties['Environment'], 'Variables', 'DATABASE_POOL_SIZE') ?? 0);
      const atOnce = Number(properties['ReservedConcurrentExecutions'] ?? 0);
      return pool * atOnce;
    });
    const services = stage.api.max * stage.api.poolSize + stage.worker.max * stage.worker.poolSize;
    const wanted = pools.reduce((sum, pool) => sum + pool, services);
    assert.ok(pools.some((pool) => pool > 0));
    assert.ok(
      wanted < stage.database.maxConnections,
      `${wanted} of ${stage.database.maxConnections}`,
    );
  },
);

everywhere(
  'a service stops gently, writes no disk and rolls back by itself',
  (templates, stage) => {
    const definitions = resourcesOf(templates, 'AWS::ECS::TaskDefinition');
    assert.equal(definitions.length, 2);
    for (const { id, properties } of definitions) {
      const container = get(properties['ContainerDefinitions'], 0);
      assert.equal(get(container, 'StopTimeout'), 120, id);
      assert.equal(get(container, 'ReadonlyRootFilesystem'), true, id);
      assert.notEqual(get(container, 'User'), undefined, id);
      const ports = get(container, 'PortMappings');
      assert.equal(ports === undefined, String(get(container, 'Name')) === 'worker', id);
    }
    for (const { id, properties } of resourcesOf(templates, 'AWS::ECS::Service')) {
      const breaker = get(properties['DeploymentConfiguration'], 'DeploymentCircuitBreaker');
      assert.deepEqual(breaker, { Enable: true, Rollback: true }, id);
      const minimum = id.startsWith('Worker') ? stage.worker.min : stage.api.min;
      assert.equal(properties['DesiredCount'], minimum, id);
    }
    const policy = resourcesOf(templates, 'AWS::ApplicationAutoScaling::ScalingPolicy').find(
      ({ properties }) => properties['PolicyName'] === 'backlog-per-task',
    );
    const metrics = get(
      policy?.properties['TargetTrackingScalingPolicyConfiguration'],
      'CustomizedMetricSpecification',
      'Metrics',
    );
    const expression = [metrics]
      .flat()
      .map((metric) => get(metric, 'Expression'))
      .find(Boolean);
    assert.match(String(expression), /IF\(FILL\(running, 1\) < 1, 1,/);
  },
);

everywhere(
  'every alert rule is an alarm with the rule’s threshold, and tells somebody',
  (templates) => {
    const alarms = resourcesOf(templates, 'AWS::CloudWatch::Alarm');
    for (const rule of alertRules) {
      const alarm = alarms.find(({ properties }) => properties['MetricName'] === rule.name);
      assert.equal(alarm?.properties['Threshold'], rule.above, rule.name);
      assert.match(String(alarm?.properties['AlarmDescription']), new RegExp(rule.runbook));
    }
    const filtered = resourcesOf(templates, 'AWS::Logs::MetricFilter').map(({ properties }) =>
      get(properties['MetricTransformations'], 0, 'MetricName'),
    );
    assert.deepEqual(new Set(filtered), new Set(alertRules.map(({ name }) => name)));
    for (const { id, properties } of alarms)
      assert.equal([properties['AlarmActions']].flat().length, 1, id);
  },
);

test('prod keeps what it holds; dev leaves nothing behind', () => {
  const [development, production] = ['dev', 'prod'].map((wanted) =>
    stages.find(({ name }) => name === wanted),
  );
  const policies = (templates: ReadonlyMap<string, Template> | undefined, type: string) =>
    [...(templates ?? [])].flatMap(([, { Resources }]) =>
      Object.values(Resources)
        .filter((resource) => resource.Type === type)
        .map(({ DeletionPolicy }) => DeletionPolicy),
    );
  assert.deepEqual(policies(production?.templates, 'AWS::RDS::DBInstance'), ['Snapshot']);
  assert.deepEqual(policies(development?.templates, 'AWS::RDS::DBInstance'), ['Delete']);
  assert.deepEqual(policies(production?.templates, 'AWS::S3::Bucket'), [
    'Retain',
    'Retain',
    'Retain',
  ]);
  const [instance] = resourcesOf(production?.templates ?? new Map(), 'AWS::RDS::DBInstance');
  assert.equal(instance?.properties['MultiAZ'], true);
  assert.equal(instance?.properties['DeletionProtection'], true);
  assert.ok(Number(instance?.properties['BackupRetentionPeriod']) >= 7);
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The states, at whatever depth, that invoke the function of a substitution. */
function statesThatCall(value: unknown, substitution: string): object[] {
  if (typeof value !== 'object' || value === null) return [];
  const own =
    get(value, 'Parameters', 'FunctionName') === `\${${substitution}}` ||
    get(value, 'Arguments', 'FunctionName') === `\${${substitution}}`;
  return [
    ...(own ? [value] : []),
    ...Object.values(value).flatMap((inner) => statesThatCall(inner, substitution)),
  ];
}
