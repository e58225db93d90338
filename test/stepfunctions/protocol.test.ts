import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { operations } from '../../local/stepfunctions/api/operations.ts';
import { temporaryFolder } from './engine-fixture.ts';
import { startEngineProcess } from './engine-process.ts';

type Answer = { status: number; type: string; message: string };

async function post(endpoint: string, target: string | undefined, body: string): Promise<Answer> {
  const response = await fetch(endpoint, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      ...(target !== undefined && { 'X-Amz-Target': target }),
    },
  });
  const { __type: type = '', message = '' } = JSON.parse(await response.text()) as {
    __type?: string;
    message?: string;
  };
  return { status: response.status, type, message };
}

test('errors on the wire have the types and status codes of AWS', async () => {
  const engine = await startEngineProcess({ dataDir: temporaryFolder() });
  const ask = (operation: string, request: object): Promise<Answer> =>
    post(engine.endpoint, `AWSStepFunctions.${operation}`, JSON.stringify(request));

  assert.deepEqual(await ask('DescribeExecution', { executionArn: 'nonsense' }), {
    status: 400,
    type: 'com.amazonaws.swf.service.v2.model#InvalidArn',
    message: "Invalid Arn: 'Invalid ARN prefix: nonsense'",
  });
  assert.deepEqual(await ask('DescribeExecution', {}), {
    status: 400,
    type: 'com.amazon.coral.validate#ValidationException',
    message:
      "1 validation error detected: Value null at 'executionArn' failed to satisfy constraint: Member must not be null",
  });
  const unknown = await ask('DoSomething', {});
  assert.equal(unknown.type, 'com.amazon.coral.service#UnknownOperationException');
  const noTarget = await post(engine.endpoint, undefined, '{}');
  assert.equal(noTarget.type, 'com.amazon.coral.service#UnknownOperationException');
  for (const body of ['{', '[]', '"text"', '1', 'null']) {
    const answer = await post(engine.endpoint, 'AWSStepFunctions.ListStateMachines', body);
    assert.equal(answer.type, 'com.amazon.coral.service#SerializationException', body);
  }
  const wrongType = await ask('DescribeExecution', { executionArn: 7 });
  assert.equal(wrongType.type, 'com.amazon.coral.service#SerializationException');
  await engine.stop();
});

test('no request, however wrong, takes the engine down or gets an internal error', async () => {
  const engine = await startEngineProcess({ dataDir: temporaryFolder() });
  const members =
    'stateMachineArn executionArn activityArn resourceArn name definition roleArn input taskToken output maxResults nextToken tags tagKeys routingConfiguration loggingConfiguration clientToken mock variables'.split(
      ' ',
    );
  const machine = JSON.stringify({ StartAt: 'A', States: { A: { Type: 'Pass', End: true } } });
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      machine,
      '{}',
      'x',
      'arn:aws:states:us-east-1:000000000000:stateMachine:m',
      'arn:aws:states:us-east-1:000000000000:execution:m:e',
      'arn:aws:states:us-east-1:000000000000:activity:a',
      'arn:aws:iam::000000000000:role/r',
      '['.repeat(5000),
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
      '\u0000',
      '\ud800',
    ),
  );
  const request = fc.dictionary(fc.constantFrom(...members), value, { maxKeys: 8 });
  const names = Object.keys(operations).filter((name) => name !== 'GetActivityTask');
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), request, async (name, body) => {
      const answer = await post(engine.endpoint, `AWSStepFunctions.${name}`, JSON.stringify(body));
      assert.ok(answer.status < 500, `${name} ${JSON.stringify(body)}: ${answer.message}`);
    }),
    { numRuns: 1500 },
  );
  const { status } = await fetch(`${engine.endpoint}/_health`);
  assert.equal(status, 200);
  await engine.stop();
});

test('SIGINT is left to the supervisor where there is one, and stops the engine where there is none', async () => {
  const alone = await startEngineProcess({ dataDir: temporaryFolder() });
  process.kill(alone.pid, 'SIGINT');
  assert.equal(await alone.ended(), 0);

  const supervised = await startEngineProcess({
    dataDir: temporaryFolder(),
    env: { PAWL_SUPERVISED: '1' },
  });
  process.kill(supervised.pid, 'SIGINT');
  const { status } = await fetch(`${supervised.endpoint}/_health`);
  assert.equal(status, 200);
  assert.equal(await supervised.stop(), 0);
});

test('the admin call that moves the clock exists only under --clock manual', async () => {
  const plain = await startEngineProcess({ dataDir: temporaryFolder() });
  const refused = await fetch(`${plain.endpoint}/_admin/advance-clock`, {
    method: 'POST',
    body: '{}',
  });
  assert.equal(refused.status, 400);
  await plain.stop();
  const manual = await startEngineProcess({
    dataDir: temporaryFolder(),
    args: ['--clock', 'manual'],
  });
  const moved = await fetch(`${manual.endpoint}/_admin/advance-clock`, {
    method: 'POST',
    body: JSON.stringify({ ms: 14 * 24 * 60 * 60 * 1000 }),
  });
  const { now } = (await moved.json()) as { now: number };
  assert.ok(now - Date.now() > 13 * 24 * 60 * 60 * 1000);
  await manual.stop();
});
