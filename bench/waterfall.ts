// Where the milliseconds of one job go, from the client's POST to its answer: the moments that Pawl itself records,
// averaged over jobs of five steps at a fixed rate: `npm run bench -- waterfall` (PER_SECOND=…, SECONDS=…).
import { GetExecutionHistoryCommand, SFNClient } from '@aws-sdk/client-sfn';
import { setTimeout as delay } from 'node:timers/promises';
import { openClient } from './support/keep-alive-client.ts';
import { report } from './support/measure.ts';
import { startBenchedPawl } from './support/pawl-with-five-steps.ts';

const perSecond = Number(process.env['PER_SECOND'] ?? 20);
const seconds = Number(process.env['SECONDS'] ?? 10);

/** A moment in milliseconds of the epoch, by name; names are in the order of the way. */
type Moments = Map<string, number>;

const bench = await startBenchedPawl();
const { api, keys, endpoints } = bench.pawl.runtime();
const client = openClient(api, keys.client, 200);
const sfn = new SFNClient({
  endpoint: endpoints.sfn,
  region: 'us-east-1',
  credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
});
const now = (): number => performance.timeOrigin + performance.now();

await atRate(3); // warm-up
const jobs = await atRate(seconds);
const ways: Moments[] = [];
for (const job of jobs) ways.push(await wayOf(job));
const names = [...(ways[0]?.keys() ?? [])];
const steps = names.slice(1).map((name, index) => {
  const from = names[index] ?? name;
  return [name, mean(ways.map((way) => (way.get(name) ?? 0) - (way.get(from) ?? 0)))] as const;
});
report(
  `waterfall: ${ways.length} jobs of five steps, ${perSecond}/s; mean ms since the line above`,
  {
    ...Object.fromEntries(steps.map(([name, ms]) => [name, ms.toFixed(1)])),
    'in all': steps.reduce((sum, [, ms]) => sum + ms, 0).toFixed(1),
  },
);
sfn.destroy();
client.close();
await bench.stop();

type Seen = { readonly jobId: string; readonly moments: Moments };

async function atRate(duration: number): Promise<Seen[]> {
  const running: Promise<Seen>[] = [];
  const began = performance.now();
  for (let n = 0; n < perSecond * duration; n += 1) {
    await delay(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
    running.push(submitAndWait(n));
  }
  return await Promise.all(running);
}

async function submitAndWait(n: number): Promise<Seen> {
  const sent = now();
  const submitted = await client.ask('POST', '/jobs', {
    type: 'five-steps',
    input: { n: String(n) },
  });
  const accepted = now();
  const { jobId } = JSON.parse(submitted.body) as { jobId: string };
  await client.ask('GET', `/jobs/${jobId}`, undefined, { prefer: 'wait=30' });
  return {
    jobId,
    moments: new Map([
      ['sent', sent],
      ['accepted', accepted],
      ['answered', now()],
    ]),
  };
}

async function wayOf({ jobId, moments }: Seen): Promise<Moments> {
  const [row] = await bench.sql<Record<'stored' | 'published' | 'received' | 'done', number>[]>`
    select ${epochMs('jobs.created_at')} as stored, ${epochMs('published_at')} as published,
           ${epochMs('first_seen_at')} as received, ${epochMs('finished_at')} as done
    from jobs join outbox using (job_id) join worker_inbox using (job_id)
    where job_id = ${jobId} and destination = 'job-requests'`;
  const [job] = await bench.sql<{ arn: string }[]>`
    select execution_arn as arn from jobs where job_id = ${jobId}`;
  if (row === undefined || job === undefined) throw new Error(`${jobId} left no trace`);
  const { events = [] } = await sfn.send(
    new GetExecutionHistoryCommand({ executionArn: job.arn, maxResults: 1_000 }),
  );
  const at = (type: string): number[] =>
    events.filter((event) => event.type === type).map((event) => event.timestamp?.getTime() ?? 0);
  const way: Moments = new Map([
    ['the client sends POST', moments.get('sent') ?? 0],
    ['the statement begins that stores the job', row.stored],
    ['the worker has the message (inbox claim)', row.received],
    ['ExecutionStarted', at('ExecutionStarted')[0] ?? 0],
  ]);
  const started = at('TaskStarted');
  const succeeded = at('TaskSucceeded');
  started.forEach((moment, index) => {
    way.set(`step ${index + 1}: TaskStarted`, moment);
    if (index < started.length - 1)
      way.set(`step ${index + 1}: TaskSucceeded`, succeeded[index] ?? 0);
  });
  way.set('the job is SUCCEEDED (its statement begins)', row.done);
  way.set('the client has the answer', moments.get('answered') ?? 0);
  return way;
}

function epochMs(column: string) {
  return bench.sql.unsafe(`extract(epoch from ${column})::double precision * 1000`);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
