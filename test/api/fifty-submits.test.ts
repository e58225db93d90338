import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { findFreePort } from '../../local/processes/free-port.ts';
import { connectTo } from '../support/connect-test.ts';
import { startServer, type TestServerProcess } from '../support/start-server.ts';
import { testDatabase } from '../support/test-database.ts';
import { call } from './call.ts';
import { bucket, jobTypeFolder, keyFor } from './app-deps.ts';

const database = await testDatabase();
const sql = connectTo(database.url);
const key = await keyFor(sql, 'acme');
const ports = [await findFreePort(), await findFreePort()];
const body = JSON.stringify({ type: 'echo', input: { order: 42 } });
const headers = { 'idempotency-key': 'order-42' };

const start = (port: number): Promise<TestServerProcess> => {
  const queue = 'http://127.0.0.1:9/000000000000/job-requests'; // nobody listens: what is promised does not hang on SQS
  return startServer(
    'api/server.ts',
    {
      PORT: String(port),
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.url,
      JOB_REQUESTS_QUEUE_URL: queue,
      JOB_REQUESTS_DLQ_URL: queue,
      EXECUTION_EVENTS_QUEUE_URL: queue,
      EXECUTION_EVENTS_DLQ_URL: queue,
      PAYLOAD_BUCKET: bucket,
      STATE_MACHINE_ARN_PREFIX: 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-',
      JOB_TYPE_DIRS: jobTypeFolder,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:9',
      AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9',
    },
    `http://127.0.0.1:${port}/readyz`,
  );
};

const submitTo = (port: number | undefined) =>
  call('POST', `http://127.0.0.1:${port}/jobs`, { key, body, headers });

/** Sends the request and cuts the socket as soon as all of it is written. */
const submitAndCut = (port: number | undefined): Promise<void> =>
  new Promise((resolve) => {
    const sent = request(`http://127.0.0.1:${port}/jobs`, {
      method: 'POST',
      headers: {
        ...headers,
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
      },
    });
    sent.on('error', () => undefined); // the cut itself
    sent.on('close', resolve);
    sent.end(body, () => sent.destroy());
  });

test('fifty submits to two processes, ten of them cut, make one job that both remember after kill -9', async () => {
  const running = await Promise.all(ports.map(start));
  after(() => Promise.all(running.map((server) => server.end('SIGKILL'))));
  const cut = Array.from({ length: 10 }, (_, index) => submitAndCut(ports[index % 2]));
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => submitTo(ports[index % 2])),
  );
  await Promise.all(cut);
  await Promise.all(running.map((server) => server.end('SIGKILL')));
  running.splice(0, 2, ...(await Promise.all(ports.map(start))));
  const again = await submitTo(ports[0]);

  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([202]));
  assert.equal(new Set([...answers, again].map((answer) => answer.body.jobId)).size, 1);
  const replayed = answers.filter(
    (answer) => answer.headers.get('idempotency-replayed') === 'true',
  );
  assert.ok(replayed.length >= 39, `${replayed.length} of 40 replayed`); // a cut one may have been the first
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  const [counts] = await sql`
    select (select count(*)::integer from jobs) as jobs, (select count(*)::integer from outbox) as messages`;
  assert.deepEqual({ ...counts }, { jobs: 1, messages: 1 });
});

test('a process that is told to stop finishes what it has in hand, and soon', async () => {
  const port = await findFreePort();
  const server = await start(port);
  const answers = Array.from({ length: 20 }, () =>
    call('POST', `http://127.0.0.1:${port}/jobs`, { key, json: { type: 'echo' } }),
  );
  const first = await Promise.race(answers);
  const began = Date.now();
  await server.end('SIGTERM');
  assert.ok(Date.now() - began < 5000, 'kept connections do not hold it up');
  assert.equal(first.status, 202);
  for (const answer of await Promise.allSettled(answers)) {
    // Each is a promise kept or a refusal; none is cut in the middle of an answer.
    if (answer.status === 'fulfilled') assert.ok([202, 503].includes(answer.value.status));
  }
});
