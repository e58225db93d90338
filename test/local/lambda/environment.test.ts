import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Environment } from '../../../local/lambda/environment.ts';

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`job-types/probe/tasks/probe-${name}.ts`, import.meta.url));

const message = (invocation: number, name: string) => ({
  kind: 'invoke' as const,
  invocation,
  file: fileOf(name),
  payload: '{}',
  context: {
    awsRequestId: 'request',
    functionName: `pawl-probe-${name}`,
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn',
    memoryLimitInMB: '128',
    logGroupName: 'group',
    logStreamName: 'stream',
    clientContext: undefined,
  },
  deadline: Date.now() + 10_000,
});

test('an environment whose thread ends owes nobody an answer any more', async () => {
  const environment = new Environment({ files: ['crash', 'echo', 'slow'].map(fileOf) });
  await environment.ready;
  assert.equal((await environment.run(message(1, 'echo'))).kind, 'done');
  assert.equal(environment.inFlight, 0);
  const abandoned = environment.run(message(2, 'slow'));
  environment.abandon(2);
  assert.equal((await abandoned).kind, 'lost');
  assert.equal(environment.inFlight, 0);
  const slow = environment.run(message(3, 'slow'));
  const crashing = environment.run(message(4, 'crash'));
  assert.equal(environment.inFlight, 2);
  assert.equal((await slow).kind, 'lost');
  assert.equal((await crashing).kind, 'lost');
  assert.equal(environment.inFlight, 0);
  await environment.ended;
});
