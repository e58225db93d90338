// What a process reads it finds in the template, or in the secret that docs/deploy.md has a person fill in.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { requiredSecrets } from '../../infra/environment.ts';
import {
  documentedVariables,
  readApiConfig,
  readDispatcherConfig,
  readTasksConfig,
  readWorkerConfig,
} from '../../jobs/config.ts';
import { givenParameters, localAccount } from './account.ts';
import { registry, stages } from './deployed-stages.ts';
import { createResolver, resourcesOf, type Template } from './template.ts';

const guide = readFileSync(fileURLToPath(new URL('../../docs/deploy.md', import.meta.url)), 'utf8');

/** The example of docs/deploy.md, with values that parse. */
const secrets = {
  WEBHOOK_SECRET: 'whsec_c2VjcmV0',
  SMTP_URL: 'smtps://user:password@mail.example.com:465',
  PAYMENT_API_KEY: 'key',
  PAYMENT_WEBHOOK_SECRET: 'whsec_c2VjcmV0',
};

/** Left at what docs/configuration.md says: right for every stage until somebody measures otherwise. */
const leftAlone = new Set([
  'AUDIT_RETENTION_DAYS',
  'CALLBACK_ALLOW_PRIVATE',
  'DATABASE_LOCK_TIMEOUT_MS',
  'DATABASE_STATEMENT_TIMEOUT_MS',
  'EFFECT_RETENTION_DAYS',
  'EMAIL_POLICY',
  // Of the worker, whose metrics nobody calls for; the API's own is asked for below.
  'HOST',
  'JOB_RETENTION_DAYS',
  // All types of a deployment are in the image.
  'JOB_TYPE_DIRS',
  'PAYMENT_POLICY',
  'PAYMENT_WINDOW_SECONDS',
  'RECONCILE_INTERVAL_MS',
  'WEBHOOK_POLICY',
  // CloudWatch reads the worker's log lines instead.
  'WORKER_METRICS_PORT',
]);

type Variables = Readonly<Record<string, string>>;

/** The environments of the processes, as AWS would start them. */
function environmentsOf(templates: ReadonlyMap<string, Template>) {
  const resolve = createResolver(templates, localAccount(givenParameters));
  const container = (family: string): Variables => {
    const found = resourcesOf(templates, 'AWS::ECS::TaskDefinition').find(
      ({ properties }) => properties['Family'] === family,
    );
    assert.ok(found !== undefined, family);
    const { ContainerDefinitions } = resolve(found.concern, found.properties) as {
      ContainerDefinitions: { Environment: { Name: string; Value: string }[] }[];
    };
    const pairs = ContainerDefinitions.flatMap(({ Environment }) => Environment);
    return Object.fromEntries(pairs.map(({ Name, Value }) => [Name, Value]));
  };
  const functions = new Map(
    resourcesOf(templates, 'AWS::Lambda::Function').map(({ concern, properties }) => {
      const environment = resolve(concern, properties['Environment'] ?? {});
      const { Variables = {} } = environment as { Variables?: Variables };
      return [String(properties['FunctionName']), Variables];
    }),
  );
  const tasks = [...registry.values()].flatMap(({ tasks: its }) => its.map(({ name }) => name));
  return {
    api: container('pawl-api'),
    worker: container('pawl-worker'),
    tasks: tasks.map((name): Variables => functions.get(`pawl-${name}`) ?? {}),
    dispatcher: functions.get('pawl-dispatch'),
  };
}

for (const { name, stage, templates } of stages) {
  const { api, worker, tasks, dispatcher } = environmentsOf(templates);

  test(`the API, the worker and every task read their configuration from the template (${name})`, () => {
    const apiConfig = readApiConfig(api, secrets);
    assert.equal(apiConfig.host, '0.0.0.0');
    assert.match(String(apiConfig.eventArchive?.archiveArn), /:archive\/pawl$/);
    const workerConfig = readWorkerConfig(worker, secrets);
    assert.equal(workerConfig.stateMachineAlias, 'live');
    assert.match(String(workerConfig.retention?.archiveBucket), /^pawl-archive-/);
    assert.equal(workerConfig.events?.email?.from, givenParameters['EmailFrom']);
    assert.equal(workerConfig.events?.busName, 'pawl');
    assert.ok(workerConfig.dispatchConcurrency > 0 === (stage.dispatcher === 'worker'));
    assert.ok(tasks.length > 5);
    for (const variables of tasks) {
      const config = readTasksConfig(variables, secrets);
      assert.equal(config.database.poolSize, 1);
      assert.equal(config.payment.callbackBaseUrl, givenParameters['CallbackBaseUrl']);
      assert.equal(config.email.from, givenParameters['EmailFrom']);
    }
    // Past the proxy, which LISTEN, session locks and the like would pin.
    for (const { database } of [apiConfig, workerConfig]) {
      assert.equal(database.authentication, 'iam');
      assert.equal(new URL(database.url).hostname, 'postgres.internal');
    }
  });

  test(`traces go nowhere until a person says where (${name})`, () => {
    assert.equal(readApiConfig(api, secrets).otlpEndpoint, undefined);
    assert.equal(readWorkerConfig(worker, secrets).otlpEndpoint, undefined);
    for (const variables of tasks)
      assert.equal(readTasksConfig(variables, secrets).otlpEndpoint, undefined);
  });

  test(`every variable is set, a secret, or left alone on purpose (${name})`, () => {
    const given = { api: [api], worker: [worker], tasks, dispatcher: [dispatcher ?? {}] };
    const unset = documentedVariables().flatMap(({ name: variable, readBy }) =>
      Object.entries(given)
        .filter(([process]) => readBy.includes(process))
        .filter(([process]) => process !== 'dispatcher' || dispatcher !== undefined)
        .filter(([, environments]) => environments.some((set) => !(variable in set)))
        .filter(() => !(variable in secrets) && !leftAlone.has(variable))
        .map(([process]) => `${process}: ${variable}`),
    );
    assert.deepEqual(unset, []);
  });

  if (dispatcher !== undefined) {
    test('the dispatcher function knows how long every type may take', () => {
      const config = readDispatcherConfig(dispatcher);
      assert.equal(config.stateMachineAlias, 'live');
      for (const { type, timeoutSeconds } of registry.values())
        assert.equal(config.jobTypeTimeouts.get(type), timeoutSeconds);
    });
  }
}

test('the guide names every secret and every parameter that a deployment asks for', () => {
  for (const secret of [...requiredSecrets(), ...Object.keys(secrets)])
    assert.ok(guide.includes(`"${secret}"`), `docs/deploy.md lacks ${secret}`);
  const asked = stages
    .flatMap(({ templates }) => [...templates.values()])
    .flatMap(({ Parameters = {} }) =>
      Object.entries(Parameters)
        .filter(([, { Default }]) => Default === undefined)
        .map(([parameter]) => parameter),
    );
  assert.ok(asked.length > 3);
  for (const parameter of asked)
    assert.ok(guide.includes(`:${parameter}=`), `docs/deploy.md lacks ${parameter}`);
});
