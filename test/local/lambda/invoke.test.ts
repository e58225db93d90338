import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../../local/processes/free-port.ts';
import { startServer } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';

const port = await findFreePort();
const endpoint = `http://127.0.0.1:${port}`;
const lambda = await startServer(
  'local/lambda/server.ts',
  {
    AWS_REGION: 'us-east-1',
    LAMBDA_PORT: String(port),
    LAMBDA_CONCURRENCY: '3',
    JOB_TYPE_DIRS: fileURLToPath(new URL('job-types', import.meta.url)),
  },
  `${endpoint}/health`,
);
after(() => lambda.end('SIGTERM'));

async function invoke(name: string, payload: unknown = {}, headers: Record<string, string> = {}) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const response = await fetch(`${endpoint}/2015-03-31/functions/${name}/invocations`, {
    method: 'POST',
    body,
    headers,
  });
  const text = await response.text();
  return {
    status: response.status,
    functionError: response.headers.get('x-amz-function-error'),
    errorType: response.headers.get('x-amzn-errortype'),
    body: text === '' ? undefined : JSON.parse(text),
  };
}

test('a handler gets its event and the context of Lambda', async () => {
  const { status, body } = await invoke('pawl-probe-echo', { order: 42 });
  assert.equal(status, 200);
  assert.deepEqual(body.event, { order: 42 });
  assert.match(body.context.awsRequestId, /^[0-9a-f-]{36}$/);
  assert.equal(body.context.functionName, 'pawl-probe-echo');
  assert.equal(body.context.functionVersion, '$LATEST');
  assert.equal(
    body.context.invokedFunctionArn,
    'arn:aws:lambda:us-east-1:000000000000:function:pawl-probe-echo',
  );
  assert.equal(body.context.memoryLimitInMB, '128');
  assert.ok(body.remainingMs > 8_000 && body.remainingMs <= 10_000, String(body.remainingMs));
});

const names = [
  'arn:aws:lambda:us-east-1:000000000000:function:pawl-probe-echo',
  'arn:aws:lambda:us-east-1:000000000000:function:pawl-probe-echo:$LATEST',
  '000000000000:function:pawl-probe-echo',
  'function:pawl-probe-echo',
  'pawl-probe-echo:live',
];
for (const name of names) {
  test(`a function is found as ${name}`, async () => {
    assert.equal((await invoke(encodeURIComponent(name))).status, 200);
  });
}

test("a handler's error is answered with 200, its name, message and trace", async () => {
  const { status, functionError, body } = await invoke('pawl-probe-fail');
  assert.deepEqual([status, functionError], [200, 'Unhandled']);
  assert.equal(body.errorType, 'Terminal');
  assert.equal(body.errorMessage, 'the shop is closed');
  assert.match(body.trace[1], /probe-fail\.ts/);
});

test('what was thrown need not be an Error', async () => {
  const { body } = await invoke('pawl-probe-fail', { throw: 'enough' });
  assert.deepEqual(body, { errorType: 'string', errorMessage: 'enough', trace: [] });
});

test('a function that runs over its time is answered as Lambda does', async () => {
  const { status, functionError, body } = await invoke('pawl-probe-slow');
  assert.deepEqual([status, functionError], [200, 'Unhandled']);
  assert.equal(body.errorType, 'Sandbox.Timedout');
  assert.match(
    body.errorMessage,
    /^RequestId: [0-9a-f-]{36} Error: Task timed out after 1\.00 seconds$/,
  );
});

test('a function that never gives up the processor times out too, and others go on', async () => {
  const [hang, hang2] = await Promise.all([invoke('pawl-probe-hang'), invoke('pawl-probe-hang')]);
  assert.equal(hang.body.errorType, 'Sandbox.Timedout');
  assert.equal(hang2.body.errorType, 'Sandbox.Timedout');
  assert.equal((await invoke('pawl-probe-echo')).status, 200);
});

test('a function that ends its environment is an error of the service, and the next one runs', async () => {
  const { status, errorType } = await invoke('pawl-probe-crash');
  assert.deepEqual([status, errorType], [500, 'ServiceException']);
  assert.equal((await invoke('pawl-probe-echo')).status, 200);
});

test('an unknown function is 404', async () => {
  const { status, errorType, body } = await invoke('pawl-nothing');
  assert.deepEqual([status, errorType], [404, 'ResourceNotFoundException']);
  assert.equal(
    body.Message,
    'Function not found: arn:aws:lambda:us-east-1:000000000000:function:pawl-nothing',
  );
});

test('payloads have the limits of Lambda: 6 MB, and 1 MB for an asynchronous one', async () => {
  assert.equal((await invoke('pawl-probe-echo', 'x'.repeat(6_291_457))).status, 413);
  assert.equal(
    (await invoke('pawl-probe-echo', JSON.stringify('x'.repeat(3_000_000)))).status,
    200,
  );
  const asynchronous = { 'x-amz-invocation-type': 'Event' };
  const large = await invoke(
    'pawl-probe-echo',
    JSON.stringify('x'.repeat(1_048_577)),
    asynchronous,
  );
  assert.deepEqual([large.status, large.errorType], [413, 'RequestTooLargeException']);
  const { functionError, body } = await invoke('pawl-probe-large', { bytes: 6_300_000 });
  assert.deepEqual([functionError, body.errorType], ['Unhandled', 'Function.ResponseSizeTooLarge']);
});

test('a payload that is not JSON is refused', async () => {
  const { status, errorType } = await invoke('pawl-probe-echo', '{');
  assert.deepEqual([status, errorType], [400, 'InvalidRequestContentException']);
});

test('invocation types: Event is accepted, DryRun only checked, others refused', async () => {
  const typed = (type: string) => invoke('pawl-probe-echo', {}, { 'x-amz-invocation-type': type });
  assert.equal((await typed('Event')).status, 202);
  assert.equal((await typed('DryRun')).status, 204);
  assert.equal((await typed('Later')).status, 400);
});

test('past the concurrency limit invocations are throttled', async () => {
  const slow = [1, 2, 3].map(() => invoke('pawl-probe-slow'));
  const throttled = await waitFor(async () => {
    const answer = await invoke('pawl-probe-echo');
    return answer.status === 429 && answer;
  }, 900);
  assert.equal(throttled.errorType, 'TooManyRequestsException');
  assert.equal(throttled.body.message, 'Rate Exceeded.');
  await Promise.all(slow);
});
