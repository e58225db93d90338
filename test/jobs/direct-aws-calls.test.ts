import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { RedriveExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { withDirectSqs, withDirectStepFunctions } from '../../jobs/direct-aws-calls.ts';
import { serve } from '../support/serve.ts';

type Call = { readonly headers: IncomingMessage['headers']; readonly body: unknown };
type Answer = { readonly status: number; readonly body: object; readonly stalls?: true };

const calls: Call[] = [];
let answers: Answer[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    calls.push({ headers: request.headers, body: JSON.parse(body) });
    const { status, body: answer, stalls } = answers.shift() ?? { status: 200, body: {} };
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    if (stalls) response.write('{');
    else response.end(JSON.stringify(answer));
  });
});
const endpoint = await serve(server);
const account = {
  endpoint,
  region: 'eu-central-1',
  credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' },
  retryMode: 'standard',
  maxAttempts: 2,
};
const sqs = withDirectSqs(new SQSClient({ ...account, useQueueUrlAsEndpoint: false }));
const sfn = withDirectStepFunctions(new SFNClient(account));
const hurriedSfn = withDirectStepFunctions(new SFNClient(account), 200);
const send = () =>
  sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: 'http://queue',
      Entries: [{ Id: '0', MessageBody: 'ä' }],
    }),
  );
const start = (client = sfn) =>
  client.send(new StartExecutionCommand({ stateMachineArn: 'arn:aws:states:::x', name: 'n' }));

beforeEach(() => {
  calls.length = 0;
});
const failedEntry = {
  status: 200,
  body: { Successful: [], Failed: [{ Id: '0', Code: 'InternalError', SenderFault: false }] },
};
/** Only the SDK's own way says who it is. */
const sdkCalls = () => calls.filter(({ headers }) => 'amz-sdk-invocation-id' in headers).length;

test('from the second call on a hot action is one signed POST, and its answer is the SDK’s', async () => {
  answers = [failedEntry, failedEntry];
  const first = await send();
  const second = await send();
  assert.deepEqual(second.Failed, first.Failed);
  assert.equal(calls.length, 2);
  assert.equal(sdkCalls(), 1);
  const [bySdk, direct] = calls;
  assert.deepEqual(direct?.body, bySdk?.body);
  assert.equal(direct?.headers['x-amz-target'], 'AmazonSQS.SendMessageBatch');
  assert.equal(direct?.headers.host, bySdk?.headers.host);
  const scope = /Credential=AKIATEST\/\d{8}\/eu-central-1\/sqs\/aws4_request/;
  for (const call of calls) assert.match(call.headers.authorization ?? '', scope);
});

test('StartExecution gives its date as a date', async () => {
  const started = { status: 200, body: { executionArn: 'arn:e', startDate: 1_700_000_000.5 } };
  answers = [started, started];
  const bySdk = await start();
  const direct = await start();
  assert.equal(sdkCalls(), 1);
  assert.equal(direct.executionArn, 'arn:e');
  assert.deepEqual(direct.startDate, bySdk.startDate);
});

test('RedriveExecution gives its date as a date', async () => {
  const redrive = () => sfn.send(new RedriveExecutionCommand({ executionArn: 'arn:e' }));
  await start();
  calls.length = 0;
  answers = [{ status: 200, body: { redriveDate: 1_700_000_000.5 } }];
  const { redriveDate } = await redrive();
  assert.deepEqual(redriveDate, new Date(1_700_000_000_500));
  assert.equal(calls[0]?.headers['x-amz-target'], 'AWSStepFunctions.RedriveExecution');
  assert.equal(sdkCalls(), 0);
});

test('what is refused is asked again by the SDK, so that the error has its name', async () => {
  await start();
  calls.length = 0;
  const refusal = {
    status: 400,
    body: { __type: 'ExecutionAlreadyExists', message: 'Execution Already Exists: n' },
  };
  answers = [refusal, refusal];
  await assert.rejects(() => start(), { name: 'ExecutionAlreadyExists' });
  assert.equal(calls.length, 2);
  assert.equal(sdkCalls(), 1);
});

test('a failing service is tried by the SDK as often as it is told to', async () => {
  await send();
  calls.length = 0;
  const failure = { status: 503, body: {} };
  answers = [failure, failure, failedEntry];
  assert.equal((await send()).Failed?.length, 1);
  assert.equal(calls.length, 3);
  assert.equal(sdkCalls(), 2);
});

test('an answer that stops in the middle is not waited for: the SDK asks again', async () => {
  await start(hurriedSfn);
  calls.length = 0;
  answers = [
    { status: 200, body: {}, stalls: true },
    { status: 200, body: { executionArn: 'arn:e', startDate: 1_700_000_000 } },
  ];
  assert.equal((await start(hurriedSfn)).executionArn, 'arn:e');
  assert.equal(calls.length, 2);
  assert.equal(sdkCalls(), 1);
});
