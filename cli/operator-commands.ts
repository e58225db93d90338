import { callApi, type CallInput, type ClientOptions } from '../client/call-api.ts';
import type { Operations } from '../client/pawl-client.ts';
import { runDoctor } from './doctor.ts';
import { lookCommands, lookOptions, lookUsage } from './look-commands.ts';
import { showJson } from './show.ts';
import { UsageError } from './usage-error.ts';

/** The flags that only operators' commands have, as `parseArgs` wants them. */
export const operatorOptions = {
  queue: { type: 'string' },
  all: { type: 'boolean' },
  code: { type: 'string' },
  after: { type: 'string' },
  before: { type: 'string' },
  rate: { type: 'string' },
  name: { type: 'string' },
  'dry-run': { type: 'boolean' },
  reference: { type: 'string' },
  ...lookOptions,
  from: { type: 'string' },
  to: { type: 'string' },
  rule: { type: 'string', multiple: true },
} as const;

export type OperatorFlags = {
  readonly queue?: string | undefined;
  readonly all?: boolean | undefined;
  readonly code?: string | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly rate?: string | undefined;
  readonly name?: string | undefined;
  readonly 'failure-text'?: string | undefined;
  readonly 'dry-run'?: boolean | undefined;
  readonly reference?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly rule?: string[] | undefined;
  readonly reason?: string | undefined;
  readonly mode?: string | undefined;
  readonly status?: string | undefined;
  readonly type?: string | undefined;
  readonly tag?: string[] | undefined;
  readonly json?: boolean | undefined;
};

export const operatorUsage = `  doctor            what is abnormal?   exits 1 where something is
${lookUsage}
  bulk redrive|cancel  all that match   --code --failure-text --type --status --tag <name[:value]> --after --before
                                       --dry-run, or --rate <jobs/s> --name <text> --reason <text>; redrive: --mode
  bulk list · show <bulkId> · pause|resume|end <bulkId> [--rate <jobs/s>] --reason <text>
  dlq list · redrive|discard <messageId>… or --all --reason <text>     --queue <name>
  quarantine list · redrive|discard <id>… or --all [--code --queue] --reason <text>
  effects list [--status <UNKNOWN|CALLING|INTENDED|REJECTED|ABANDONED>]
  effects resolve <effectId> <completed|not-done|abandon> [--reference <text>] --reason <text>
  callbacks list · resolve <callbackId> --reason <text>     answers of providers that no job reads any more
  events replay --from <time> [--to <time>] --rule <name>… [--name <text>] --reason <text>
  events list · cancel <name> --reason <text>     replays of the archive`;

export type OperatorCall = {
  readonly api: ClientOptions;
  readonly flags: OperatorFlags;
  /** What stands after the command. */
  readonly words: readonly string[];
};

/** Each gives the exit code. */
export const operatorCommands: Readonly<
  Record<string, ((call: OperatorCall) => Promise<number>) | undefined>
> = {
  doctor: runDoctor,
  ...lookCommands,
  bulk,
  dlq,
  quarantine,
  effects,
  callbacks,
  events,
};

/** The API's own words for ending one would read like cancelling its jobs. */
const bulkChanges = {
  pause: 'pauseBulkOperation',
  resume: 'resumeBulkOperation',
  end: 'cancelBulkOperation',
} as const;

async function bulk(call: OperatorCall): Promise<number> {
  const { flags, words } = call;
  const [verb, bulkId] = words;
  switch (verb) {
    case 'redrive':
    case 'cancel':
      if (bulkId !== undefined) {
        throw new UsageError(
          `bulk ${verb} takes a filter; a bulk operation is ended by: bulk end ${bulkId}`,
        );
      }
      return await startBulk(call, verb);
    case 'list':
      return await tell(call, 'listBulkOperations', {});
    case 'show':
      return await tell(call, 'getBulkOperation', { path: { bulkId: wanted(bulkId, '<bulkId>') } });
    case 'pause':
    case 'resume':
    case 'end':
      return await tell(call, bulkChanges[verb], {
        path: { bulkId: wanted(bulkId, '<bulkId>') },
        body: { reason: wanted(flags.reason, '--reason'), ...rateOf(flags) },
        once: true,
      });
    default:
      throw new UsageError('bulk redrive, cancel, list, show, pause, resume or end');
  }
}

async function startBulk(call: OperatorCall, verb: 'redrive' | 'cancel'): Promise<number> {
  const { code, type, status, tag, after, before, mode, name, reason } = call.flags;
  const filter = withoutUndefined({
    code,
    failureText: call.flags['failure-text'],
    type,
    status,
    tag: tag?.[0],
    createdAfter: after,
    createdBefore: before,
  });
  const dryRun = call.flags['dry-run'] === true;
  const body = dryRun
    ? { filter, dryRun, ...withoutUndefined({ mode }) }
    : {
        filter,
        ...rateOf(call.flags),
        ...withoutUndefined({ mode }),
        name: wanted(name, '--name'),
        reason: wanted(reason, '--reason'),
      };
  const operation = verb === 'cancel' ? 'cancelJobs' : 'redriveJobs';
  return await tell(call, operation, { body, once: true });
}

/** A queue with a thousand messages or more takes several requests; they are made until none is left. */
async function dlq(call: OperatorCall): Promise<number> {
  const { flags, words } = call;
  const [verb, ...messageIds] = words;
  const queue = flags.queue ?? 'job-requests';
  if (verb === 'list') return await tell(call, 'listDeadLetters', { query: { queue, limit: 100 } });
  if (verb !== 'redrive' && verb !== 'discard')
    throw new UsageError('dlq list, redrive or discard');
  const name = verb === 'redrive' ? 'redriveDeadLetters' : 'discardDeadLetters';
  return await untilDone(call, name, { queue, ...chosen(flags, 'messageIds', messageIds) });
}

async function quarantine(call: OperatorCall): Promise<number> {
  const { flags, words } = call;
  const [verb, ...ids] = words;
  const { queue, code } = flags;
  if (verb === 'list') {
    return await tell(call, 'listQuarantine', {
      query: { ...withoutUndefined({ queue, code }), limit: 100 },
    });
  }
  if (verb !== 'redrive' && verb !== 'discard') {
    throw new UsageError('quarantine list, redrive or discard');
  }
  const name = verb === 'redrive' ? 'redriveQuarantined' : 'discardQuarantined';
  return await untilDone(call, name, {
    ...withoutUndefined({ queue, code }),
    ...chosen(flags, 'ids', ids),
  });
}

async function effects(call: OperatorCall): Promise<number> {
  const { flags, words } = call;
  const [verb, effectId, verdict] = words;
  if (verb === 'list') {
    return await tell(call, 'listOpenEffects', {
      query: { ...withoutUndefined({ status: flags.status }), limit: 200 },
    });
  }
  if (verb !== 'resolve') throw new UsageError('effects list or resolve');
  return await tell(call, 'resolveEffect', {
    path: { effectId: wanted(effectId, '<effectId>') },
    body: {
      verdict: wanted(verdict, '<completed|not-done|abandon>'),
      reason: wanted(flags.reason, '--reason'),
      ...withoutUndefined({ providerReference: flags.reference }),
    },
    once: true,
  });
}

async function callbacks(call: OperatorCall): Promise<number> {
  const [verb, callbackId] = call.words;
  if (verb === 'list') return await tell(call, 'listHeldAnswers', {});
  if (verb !== 'resolve') throw new UsageError('callbacks list or resolve');
  return await tell(call, 'resolveHeldAnswer', {
    path: { callbackId: wanted(callbackId, '<callbackId>') },
    body: { reason: wanted(call.flags.reason, '--reason') },
    once: true,
  });
}

async function events(call: OperatorCall): Promise<number> {
  const { flags, words } = call;
  const [verb, replay] = words;
  if (verb === 'list') return await tell(call, 'listEventReplays', {});
  if (verb === 'cancel') {
    return await tell(call, 'cancelEventReplay', {
      path: { name: wanted(replay, '<name>') },
      body: { reason: wanted(flags.reason, '--reason') },
      once: true,
    });
  }
  if (verb !== 'replay') throw new UsageError('events replay, list or cancel');
  const { to, name, rule: rules = [] } = flags;
  if (rules.length === 0) throw new UsageError('--rule is wanted: who is to get the events again');
  const body = {
    from: wanted(flags.from, '--from'),
    rules,
    reason: wanted(flags.reason, '--reason'),
    ...withoutUndefined({ to, name }),
  };
  return await tell(call, 'replayEvents', { body, once: true });
}

async function untilDone(
  call: OperatorCall,
  name: 'redriveDeadLetters' | 'discardDeadLetters' | 'redriveQuarantined' | 'discardQuarantined',
  body: Readonly<Record<string, unknown>>,
): Promise<number> {
  for (;;) {
    const answer = (await callApi(call.api, name, { body, once: true })).body;
    show(call.flags, answer);
    if (!answer.more) return 0;
  }
}

/** Calls the API and shows its answer; what is wrong with the input, the API says best. */
async function tell(call: OperatorCall, name: keyof Operations, input: CallInput): Promise<number> {
  show(call.flags, (await callApi(call.api, name, input)).body);
  return 0;
}

const show = ({ json }: OperatorFlags, answer: unknown): void =>
  json === true ? showJson(answer) : console.log(JSON.stringify(answer, null, 2));

function chosen(
  flags: OperatorFlags,
  member: 'ids' | 'messageIds',
  ids: readonly string[],
): Readonly<Record<string, unknown>> {
  const reason = wanted(flags.reason, '--reason');
  if (ids.length > 0 && flags.all !== true) return { [member]: ids, reason };
  if (ids.length === 0 && flags.all === true) return { all: true, reason };
  throw new UsageError('name what is meant, or give --all; not both');
}

function rateOf({ rate }: OperatorFlags): { ratePerSecond?: number } {
  if (rate === undefined) return {};
  const ratePerSecond = Number(rate);
  if (!(ratePerSecond > 0)) throw new UsageError('--rate is a number of jobs a second');
  return { ratePerSecond };
}

function wanted(value: string | undefined, what: string): string {
  if (value === undefined) throw new UsageError(`${what} is wanted`);
  return value;
}

const withoutUndefined = (members: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).filter(
      (member): member is [string, string] => typeof member[1] === 'string',
    ),
  );
