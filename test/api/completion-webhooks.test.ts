import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import type { JobId } from '../../jobs/ids.ts';
import { isPublicAddress } from '../../jobs/public-address.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { listen } from '../../local/processes/listen.ts';
import { createCompletions } from '../../worker/tell-completions.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');

type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};
const received: Received[] = [];
let answers: number[] = [];
/** What is done before the receiver answers. */
let whileTold: (() => Promise<void>) | undefined;
const receiver = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    received.push({ path: request.url ?? '', headers: request.headers, body });
    void Promise.resolve(whileTold?.()).then(() =>
      response.writeHead(answers.shift() ?? 204, { location: '/elsewhere' }).end(),
    );
  });
});
const port = await listen(receiver, 0);
after(() => receiver.close());

/** Tells what is due, and comes back when all of it has been told or put off. */
async function tell(allowPrivate = true): Promise<void> {
  const completions = createCompletions({
    sql: api.sql,
    log: pino({ level: 'silent' }),
    clock: () => new Date(),
    random: () => 0,
    allowPrivate,
  });
  while ((await completions.turn()) === 'again');
}
const makeDue = () => api.sql`
  update outbox set next_attempt_at = now() where destination = 'webhook' and published_at is null`;

async function finishedJob(url = `http://127.0.0.1:${port}/done`): Promise<string> {
  received.length = 0;
  const { body } = await call('POST', `${api.url}/jobs`, {
    key,
    json: { type: 'echo', callback: { url } },
  });
  const fence = { jobId: body.jobId as JobId, executionName: body.jobId, redriveCount: 0 };
  await finishJob(api.sql, fence, { status: 'SUCCEEDED', result: {} }, 'test');
  return body.jobId;
}

const effectOf = async (jobId: string) => {
  const [row] = await api.sql<{ status: string; attempts: number; error: string | null }[]>`
    select status, attempts, last_error as error from external_effects where job_id = ${jobId}`;
  return row === undefined ? undefined : { ...row };
};

const messageOf = async (jobId: string) => {
  const [row] = await api.sql<{ open: boolean; error: string | null }[]>`
    select published_at is null as open, last_error as error from outbox
    where job_id = ${jobId} and destination = 'webhook'`;
  return row === undefined ? undefined : { ...row };
};
/** As if whoever had the message had died before its end was recorded on it. */
const bringAgain = async (jobId: string) => api.sql`
  update outbox set published_at = null, next_attempt_at = now()
  where job_id = ${jobId} and destination = 'webhook'`;

test('a receiver is told once that a job is final, signed as Standard Webhooks says', async () => {
  const jobId = await finishedJob();
  await tell();
  await makeDue();
  await tell();
  assert.equal(received.length, 1);
  const [told] = received;
  assert.equal(told?.headers['webhook-id'], `job:${jobId}:1:callback`);
  const secrets = (await call('GET', `${api.url}/webhook-secrets`, { key })).body['secrets'];
  const [{ secret }] = secrets as [{ secret: string }];
  const event = new Webhook(secret).verify(told.body, told.headers as Record<string, string>) as {
    type: string;
    data: { jobId: string; status: string };
  };
  assert.equal(event.type, 'job.succeeded');
  assert.equal(event.data.jobId, jobId);
  assert.equal((await effectOf(jobId))?.status, 'COMPLETED');
});

test('a receiver that fails is told again with the same id, until it takes it', async () => {
  answers = [500, 503];
  const jobId = await finishedJob();
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await tell();
    await makeDue();
  }
  assert.equal(received.length, 3);
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.deepEqual(await effectOf(jobId), { status: 'COMPLETED', attempts: 3, error: null });
});

test('between two attempts there is time, more each time', async () => {
  answers = [500];
  const jobId = await finishedJob();
  await tell();
  await tell();
  assert.equal(received.length, 1);
  const [row] = await api.sql<{ seconds: number }[]>`
    select extract(epoch from next_attempt_at - now())::float8 as seconds from outbox
    where job_id = ${jobId} and destination = 'webhook'`;
  assert.ok((row?.seconds ?? 0) > 2);
  await makeDue();
  await tell();
});

test('a receiver that says 410 is not told again', async () => {
  answers = [410];
  const jobId = await finishedJob();
  await tell();
  await makeDue();
  await tell();
  assert.equal(received.length, 1);
  assert.equal((await effectOf(jobId))?.status, 'REJECTED');
});

test('a run that is given up is not told again, nor when its job is redriven and its message comes again', async () => {
  answers = [410];
  const jobId = await finishedJob();
  await tell();
  await api.sql`update jobs set redrive_count = 1, run = 2 where job_id = ${jobId}`;
  await bringAgain(jobId);
  await tell();
  assert.equal(received.length, 1);
  assert.equal((await messageOf(jobId))?.open, false);
});

test('the intention is committed before the receiver is told', async () => {
  let seen: unknown;
  const jobId = await finishedJob();
  whileTold = async () => {
    seen = await effectOf(jobId);
  };
  await tell();
  whileTold = undefined;
  assert.deepEqual(seen, { status: 'CALLING', attempts: 1, error: null });
});

test('a worker that dies after a receiver was told leaves a message by which it is not told again', async () => {
  const jobId = await finishedJob();
  await tell();
  await bringAgain(jobId);
  await tell();
  assert.equal(received.length, 1);
  assert.equal((await messageOf(jobId))?.open, false);
});

test('a worker that dies while it tells leaves a lease; after it the receiver is told again, with the same id', async () => {
  const jobId = await finishedJob();
  answers = [500];
  await tell();
  await bringAgain(jobId);
  await api.sql`
    update external_effects set status = 'CALLING', lease_token = gen_random_uuid(), last_error = null,
                                lease_until = now() + interval '1 minute' where job_id = ${jobId}`;
  await tell();
  assert.equal(received.length, 1);
  assert.match((await messageOf(jobId))?.error ?? '', /in the hands of another attempt/);
  await api.sql`update external_effects set lease_until = now() where job_id = ${jobId}`;
  await makeDue();
  await tell();
  assert.equal(received.length, 2);
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.equal((await effectOf(jobId))?.status, 'COMPLETED');
});

test('operators see a completion among the effects of its job', async () => {
  const jobId = await finishedJob();
  await tell();
  const ops = await api.keyFor(null);
  const { body } = await call('GET', `${api.url}/jobs/${jobId}/effects`, { key: ops });
  const [effect] = body['effects'] as Record<string, unknown>[];
  assert.deepEqual(
    [effect?.['effectKey'], effect?.['provider'], effect?.['policy'], effect?.['status']],
    [`job:${jobId}:1:callback`, 'callback', 'repeat', 'COMPLETED'],
  );
});

test('a receiver that is silent for three days is given up', async () => {
  answers = [500];
  const jobId = await finishedJob();
  await api.sql`update outbox set created_at = now() - interval '73 hours' where job_id = ${jobId}`;
  await tell();
  assert.equal((await effectOf(jobId))?.status, 'REJECTED');
  assert.deepEqual(await messageOf(jobId), {
    open: false,
    error: `effect job:${jobId}:1:callback: the receiver answered 500`,
  });
});

test('a redirect is not followed', async () => {
  answers = [302];
  await finishedJob();
  await tell();
  assert.deepEqual(
    received.map(({ path }) => path),
    ['/done'],
  );
  await makeDue();
  await tell();
});

test('a private address is not called, by number or by name', async () => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433']) {
    const jobId = await finishedJob(`http://${host}:${port}/done`);
    await tell(false);
    assert.equal(received.length, 0, host);
    assert.match((await effectOf(jobId))?.error ?? '', /not a public address/, host);
    await api.sql`update outbox set published_at = now() where destination = 'webhook'`;
  }
});

test('after a rotation the old and the new secret sign', async () => {
  const rotated = await call('POST', `${api.url}/webhook-secrets/rotate`, { key });
  const secrets = rotated.body['secrets'] as { secret: string; expiresAt: string | null }[];
  assert.equal(secrets.length, 2);
  assert.equal(secrets[0]?.expiresAt, null);
  await finishedJob();
  await tell();
  const [told] = received;
  for (const { secret } of secrets) {
    new Webhook(secret).verify(told?.body ?? '', told?.headers as Record<string, string>);
  }
});

test('a cancelled job is told too, a job without a callback not', async () => {
  received.length = 0;
  const url = `http://127.0.0.1:${port}/cancelled`;
  const json = { type: 'echo', callback: { url } };
  const { body } = await call('POST', `${api.url}/jobs`, { key, json });
  await call('POST', `${api.url}/jobs/${body.jobId}/cancel`, { key });
  const other = await call('POST', `${api.url}/jobs`, { key, json: { type: 'echo' } });
  await call('POST', `${api.url}/jobs/${other.body.jobId}/cancel`, { key });
  await tell();
  assert.deepEqual(
    received.map((told) => JSON.parse(told.body).type),
    ['job.cancelled'],
  );
});

test('addresses of special networks are not public', () => {
  const special = [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.0.1',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fc00::1',
    'fe80::1',
    'ff02::1',
    '2001:db8::1',
    'example.org',
    '',
  ];
  for (const address of special) assert.equal(isPublicAddress(address), false, address);
  for (const address of ['1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700::1111']) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

test('a callback to a private address is refused when the job is submitted', async () => {
  const strict = await startApi({ sql: api.sql, callbackAllowPrivate: false });
  const submit = (url: string) =>
    call('POST', `${strict.url}/jobs`, { key, json: { type: 'echo', callback: { url } } });
  for (const url of [
    'http://10.0.0.1/',
    'http://[::1]:80/x',
    'https://localhost/',
    'http://169.254.169.254/latest',
  ]) {
    const answer = await submit(url);
    assert.equal(answer.status, 422, url);
    assert.deepEqual(
      answer.body.errors.map((error) => error.pointer),
      ['/callback/url'],
    );
  }
  assert.equal((await submit('https://hooks.example.org/pawl')).status, 202);
  assert.equal((await submit('http://[bad/')).status, 422);
});
