// The synthesised template runs on this machine: its state machines in our engine, its bundles as the functions, one
// job of each type through. What its components called meanwhile is held against its policies.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  CreateStateMachineAliasCommand,
  DescribeExecutionCommand,
  PublishStateMachineVersionCommand,
  SFNClient,
  UpdateStateMachineCommand,
} from '@aws-sdk/client-sfn';
import { runSampleJob, type SampleJob } from '../../local/sample-job.ts';
import { runSample, samplesOf } from '../../local/sample-jobs.ts';
import { recordCalls } from '../support/record-calls.ts';
import { startPawl } from '../support/start-pawl.ts';
import { waitFor } from '../support/wait-for.ts';
import { accountId, givenParameters, localAccount, region } from './account.ts';
import { deployedFunctions } from './deployed-functions.ts';
import { refusedNeeds } from './least-privilege.ts';
import { type Need, objectArn, recordedNeeds, unseenNeeds } from './needed.ts';
import { isAllowed, type Policy, policiesOf, type Question } from './policies.ts';
import { createSynthesizer, dev } from './synthesize.ts';
import { createResolver, resourcesOf } from './template.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pawl-runs-here-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const synthesizer = await createSynthesizer([here('job-types')]);
const synthesis = synthesizer.synthesize(dev);
const { templates, outdir } = synthesis;
const resolve = createResolver(templates, localAccount(givenParameters));
const functions = deployedFunctions(synthesis, dev.name, resolve);
const functionsFile = join(folder, 'functions.json');
writeFileSync(functionsFile, JSON.stringify(functions));
// Below the folder of the whole run, where there is one (recorded-calls.last.ts).
const calls = mkdtempSync(join(process.env['CALLS_DIR'] ?? folder, 'runs-here-'));

const pawl = await startPawl({
  env: {
    JOB_TYPE_DIRS: here('job-types'),
    LAMBDA_FUNCTIONS_FILE: functionsFile,
    STATE_MACHINE_ALIAS: 'live',
    ...recordCalls(calls),
  },
});
after(() => pawl.stop());
const runtime = pawl.runtime();
const sfn = new SFNClient({
  region,
  endpoint: runtime.endpoints.sfn,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
after(() => sfn.destroy());

// As CloudFormation makes them: the definition with its substitutions, a version of it, and the alias to the version.
for (const { concern, properties } of resourcesOf(templates, 'AWS::StepFunctions::StateMachine')) {
  const substitutions = resolve(concern, properties['DefinitionSubstitutions']) as Record<
    string,
    string
  >;
  const definition = String(properties['DefinitionString']).replaceAll(
    /\$\{([^}]+)\}/g,
    (whole, name: string) => substitutions[name] ?? whole,
  );
  const stateMachineArn = `arn:aws:states:${region}:${accountId}:stateMachine:${String(properties['StateMachineName'])}`;
  await sfn.send(new UpdateStateMachineCommand({ stateMachineArn, definition }));
  const version = await sfn.send(new PublishStateMachineVersionCommand({ stateMachineArn }));
  const { stateMachineVersionArn } = version;
  await sfn.send(
    new CreateStateMachineAliasCommand({
      name: 'live',
      routingConfiguration: [{ stateMachineVersionArn, weight: 100 }],
    }),
  );
}

const finished: SampleJob[] = [];
for (const sample of samplesOf('infra')) {
  test(`a job of type ${sample.type} runs on the template’s machine and bundles`, async () => {
    const job = await runSample(runtime, sample);
    assert.equal(job.status, 'SUCCEEDED', JSON.stringify(job.failure));
    finished.push(job);
  });
}

test('a job of a type that infra/ has never heard of runs as well', async () => {
  const job = await runSampleJob(runtime, { type: 'hello', input: { name: 'Ayu' } });
  assert.equal(job.status, 'SUCCEEDED', JSON.stringify(job.failure));
  finished.push(job);
});

test('there was a job of every type, each started by the alias', async () => {
  assert.equal(finished.length, synthesizer.registry.size, 'samplesOf() lacks a type');
  const executionArn = `arn:aws:states:${region}:${accountId}:execution:pawl-hello:${finished.at(-1)?.jobId ?? ''}`;
  const execution = await sfn.send(new DescribeExecutionCommand({ executionArn }));
  assert.match(String(execution.stateMachineAliasArn), /:pawl-hello:live$/);
});

// Least privilege.

const policies = policiesOf(templates, resolve);
const of = (component: string): readonly Policy[] => {
  const found = policies.get(component);
  if (found === undefined)
    throw new Error(`no role of ${component}: ${[...policies.keys()].join()}`);
  return found;
};

/** The calls an operator and a failing job cause; the jobs above have caused the rest. */
async function useEverything(): Promise<void> {
  const ops = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${runtime.api}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${runtime.keys.operator}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.status < 500, `${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const failing = await runSampleJob(runtime, {
    type: 'document-metadata',
    input: { documentId: 'gone', version: 1 },
    payloadRef: {
      bucket: runtime.bucket,
      key: `payloads/${runtime.tenantId}/${'0'.repeat(64)}`,
      sha256: '0'.repeat(64),
    },
  });
  assert.equal(failing.status, 'FAILED');
  const { jobId } = failing;
  await ops('GET', `/jobs/${jobId}/execution`);
  await ops('GET', `/jobs/${jobId}/redrive`);
  await ops('POST', `/jobs/${jobId}/redrive`, { mode: 'resume', reason: 'to see it fail again' });
  await waitFor(
    async () => {
      const job = (await ops('GET', `/jobs/${jobId}`)) as { status: string; run: number };
      return job.run === 2 && job.status === 'FAILED';
    },
    20_000,
    'the redrive to have failed',
  );
  const waiting = (await ops('POST', '/jobs', {
    type: 'hello',
    input: { name: 'nobody' },
    notBefore: new Date(Date.now() + 3_600_000).toISOString(),
  })) as { jobId: string };
  await ops('POST', `/jobs/${waiting.jobId}/cancel`);
  await ops('GET', '/ops/queues');
  await ops('GET', '/ops/dlq');
}

test('every role may do what its component was seen to call', async () => {
  await useEverything();
  const names = functions.map(({ name }) => name.replace(/^pawl-/, ''));
  const recorded = recordedNeeds(calls);
  const components = new Set(recorded.map(({ component }) => component));
  for (const component of ['api', 'worker', 'validate-payload', 'extract-metadata'])
    assert.ok(components.has(component), component);
  const needs: Need[] = [...recorded, ...unseenNeeds(names, dev)];
  assert.deepEqual(await refusedNeeds(policies, needs), []);
  console.log(`needed: ${needs.length} permissions of ${components.size} components`);
});

test('each machine may invoke its own tasks, and no other function', async () => {
  const arnOf = (name: string): string =>
    `arn:aws:lambda:${region}:${accountId}:function:pawl-${name}`;
  for (const { type, tasks } of synthesizer.registry.values()) {
    const own = tasks.map(({ name }) => name);
    for (const { name } of functions) {
      const task = name.replace(/^pawl-/, '');
      const question = { action: 'lambda:InvokeFunction', resource: arnOf(task) };
      assert.equal(
        await isAllowed(of(`machine ${type}`), question),
        own.includes(task),
        `${type}, ${task}`,
      );
    }
  }
});

const execution = `arn:aws:states:${region}:${accountId}:execution:pawl-hello:1`;
const machine = `arn:aws:states:${region}:${accountId}:stateMachine:pawl-hello`;
const live = { 'states:StateMachineQualifier': ['live'] };
const denials: readonly (Question & { readonly title: string; readonly component: string })[] = [
  {
    title: 'the API cannot start an execution',
    component: 'api',
    action: 'states:StartExecution',
    resource: machine,
    context: live,
  },
  {
    title: 'the API cannot redrive',
    component: 'api',
    action: 'states:RedriveExecution',
    resource: execution,
  },
  {
    title: 'the API cannot stop an execution',
    component: 'api',
    action: 'states:StopExecution',
    resource: execution,
  },
  {
    title: 'the API cannot take job requests',
    component: 'api',
    action: 'sqs:ReceiveMessage',
    resource: `arn:aws:sqs:${region}:${accountId}:pawl-job-requests`,
  },
  {
    title: 'the worker cannot read a payload',
    component: 'worker',
    action: 's3:GetObject',
    resource: objectArn('payloads/t/1'),
  },
  {
    title: 'the worker cannot start what the alias does not name',
    component: 'worker',
    action: 'states:StartExecution',
    resource: machine,
  },
  {
    title: 'the worker cannot start somebody else’s machine',
    component: 'worker',
    action: 'states:StartExecution',
    resource: `arn:aws:states:${region}:${accountId}:stateMachine:other`,
    context: live,
  },
  {
    title: 'a task that reads no payload cannot',
    component: 'mark-running',
    action: 's3:GetObject',
    resource: objectArn('payloads/t/1'),
  },
  {
    title: 'a task cannot write payloads',
    component: 'validate-payload',
    action: 's3:PutObject',
    resource: objectArn('payloads/t/1'),
  },
  {
    title: 'a task cannot read another type’s objects',
    component: 'extract-metadata',
    action: 's3:GetObject',
    resource: objectArn('jobs/batch-import/t/1'),
  },
  {
    title: 'a task cannot read the administrator’s password',
    component: 'mark-running',
    action: 'secretsmanager:GetSecretValue',
    resource: `arn:aws:secretsmanager:${region}:${accountId}:secret:rds!db`,
  },
  {
    title: 'the migrations cannot read third parties’ secrets',
    component: 'migrate',
    action: 'secretsmanager:GetSecretValue',
    resource: `arn:aws:secretsmanager:${region}:${accountId}:secret:pawl/settings`,
  },
];
for (const { title, component, ...question } of denials) {
  test(title, async () => assert.equal(await isAllowed(of(component), question), false));
}

test('bundles hold the native packages that they use', () => {
  const extract = functions.find(({ name }) => name === 'pawl-extract-metadata')?.file ?? '';
  assert.ok(extract.startsWith(outdir));
  assert.ok(existsSync(join(extract, '../node_modules/sharp/package.json')));
  const marking = functions.find(({ name }) => name === 'pawl-mark-running')?.file ?? '';
  assert.ok(!existsSync(join(marking, '../node_modules')));
});
