import { readFileSync } from 'node:fs';
import {
  type Job,
  type JobFilter,
  JobNotSucceeded,
  type JobRequest,
  type PawlClient,
  type PayloadRef,
} from '../client/pawl-client.ts';
import { showEvent, showJob, showJson } from './show.ts';
import { uploadFile } from './upload-file.ts';
import { UsageError } from './usage-error.ts';

/** What stands on the command line besides the command and its argument. */
export type Flags = {
  readonly [
    name in
      | 'url'
      | 'key'
      | 'input'
      | 'input-file'
      | 'file'
      | 'content-type'
      | 'not-before'
      | 'expires-at'
      | 'unique-key'
      | 'ordering-key'
      | 'idempotency-key'
      | 'status'
      | 'type'
      | 'created-after'
      | 'created-before'
      | 'failure-code'
      | 'failure-text'
      | 'limit'
      | 'reason'
      | 'mode'
  ]?: string | undefined;
} & {
  readonly json?: boolean | undefined;
  readonly wait?: boolean | undefined;
  readonly help?: boolean | undefined;
  readonly tag?: string[] | undefined;
};

type Call = {
  readonly pawl: PawlClient;
  readonly flags: Flags;
  readonly argument: string | undefined;
};

export const commands: Readonly<Record<string, ((call: Call) => Promise<void>) | undefined>> = {
  submit,
  watch,
  list,
  async get({ pawl, flags, argument }) {
    tell(flags, await pawl.get(wanted(argument, '<jobId>')));
  },
  async result({ pawl, argument }) {
    const result = await pawl.result(wanted(argument, '<jobId>'));
    if (result instanceof Uint8Array) process.stdout.write(result);
    else showJson(result);
  },
  async errors({ pawl, argument }) {
    process.stdout.write(await pawl.errors(wanted(argument, '<jobId>')));
  },
  async cancel({ pawl, flags, argument }) {
    const answer = await pawl.cancel(wanted(argument, '<jobId>'), flags.reason);
    if (flags.json === true) return showJson(answer);
    console.log(`${answer.jobId} is ${answer.status}`);
    for (const effect of answer.notUndone) {
      console.log(
        `  not undone: ${effect.provider} ${effect.operation} ${effect.effectKey} (${effect.status})`,
      );
    }
  },
  async redrive({ pawl, flags, argument }) {
    const { mode, reason } = flags;
    if (mode !== undefined && mode !== 'auto' && mode !== 'resume' && mode !== 'restart') {
      throw new UsageError('--mode is auto, resume or restart');
    }
    const answer = await pawl.redrive(wanted(argument, '<jobId>'), {
      ...(mode === undefined ? {} : { mode }),
      ...(reason === undefined ? {} : { reason }),
    });
    if (flags.json === true) return showJson(answer);
    console.log(`${answer.jobId} is ${answer.status}, run ${answer.run}`);
  },
  async upload({ pawl, flags, argument }) {
    showJson(await uploadFile(pawl, wanted(argument, '<file>'), uploadFlags(flags)));
  },
};

async function submit({ pawl, flags, argument }: Call): Promise<void> {
  const type = wanted(argument, '<type>');
  const { file } = flags;
  const payloadRef =
    file === undefined ? undefined : await uploadFile(pawl, file, uploadFlags(flags));
  const request = requestOf(type, flags, payloadRef);
  const key = flags['idempotency-key'];
  const accepted = await pawl.submit(request, key === undefined ? {} : { idempotencyKey: key });
  if (flags.wait !== true) {
    if (flags.json === true) showJson(accepted);
    else console.log(`${accepted.jobId} is ${accepted.status}`);
    return;
  }
  const job = await follow(pawl, flags, accepted.jobId);
  if (job.status !== 'SUCCEEDED') throw new JobNotSucceeded(job);
}

const uploadFlags = (flags: Flags) => ({
  contentType: flags['content-type'],
  json: flags.json === true,
});

async function watch({ pawl, flags, argument }: Call): Promise<void> {
  await follow(pawl, flags, wanted(argument, '<jobId>'));
}

async function follow(pawl: PawlClient, flags: Flags, jobId: string): Promise<Job> {
  for await (const event of pawl.watch(jobId)) {
    if (flags.json === true) showJson(event);
    else showEvent(event);
  }
  const job = await pawl.get(jobId);
  tell(flags, job);
  return job;
}

async function list({ pawl, flags }: Call): Promise<void> {
  const limit = Number(flags.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit is a whole number');
  let shown = 0;
  for await (const job of pawl.list(filterOf(flags))) {
    if (flags.json === true) showJson(job);
    else console.log(`${job.jobId}  ${job.status.padEnd(9)}  ${job.createdAt}  ${job.type}`);
    shown += 1;
    if (shown >= limit) break;
  }
}

const filterOf = (flags: Flags): JobFilter =>
  withoutUndefined({
    status: flags.status as JobFilter['status'], // the API says which there are
    type: flags.type,
    tag: flags.tag?.[0],
    createdAfter: flags['created-after'],
    createdBefore: flags['created-before'],
    failureCode: flags['failure-code'],
    failureText: flags['failure-text'],
  });

function requestOf(type: string, flags: Flags, payloadRef: PayloadRef | undefined): JobRequest {
  const file = flags['input-file'];
  const text = file === undefined ? flags.input : readFileSync(file, 'utf8');
  return withoutUndefined({
    type,
    input: text === undefined ? undefined : parseInput(text),
    payloadRef,
    notBefore: flags['not-before'],
    expiresAt: flags['expires-at'],
    uniqueKey: flags['unique-key'],
    orderingKey: flags['ordering-key'],
    tags: flags.tag === undefined ? undefined : Object.fromEntries(flags.tag.map(parseTag)),
  });
}

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`the input is not JSON: ${String(error)}`);
  }
}

function parseTag(text: string): [name: string, value: string] {
  const [name = '', ...value] = text.split('=');
  if (name === '' || value.length === 0)
    throw new UsageError(`--tag ${text} is not <name>=<value>`);
  return [name, value.join('=')];
}

const tell = (flags: Flags, job: Job): void => (flags.json === true ? showJson(job) : showJob(job));

function wanted(argument: string | undefined, what: string): string {
  if (argument === undefined) throw new UsageError(`${what} is wanted`);
  return argument;
}

type Defined<Value> = { [Key in keyof Value]: Exclude<Value[Key], undefined> };

/** The members that are there. */
const withoutUndefined = <Value extends object>(value: Value): Defined<Value> =>
  Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Defined<Value>;
