import { callApi, type CallInput, type ClientOptions } from '../client/call-api.ts';
import type { Operations } from '../client/pawl-client.ts';
import { showJson } from './show.ts';
import { UsageError } from './usage-error.ts';

type LookCall = {
  readonly api: ClientOptions;
  readonly flags: {
    readonly json?: boolean | undefined;
    readonly actor?: string | undefined;
    readonly action?: string | undefined;
    readonly after?: string | undefined;
    readonly before?: string | undefined;
  };
  /** What stands after the command. */
  readonly words: readonly string[];
};

export const lookUsage = `  queues · outbox · alerts · stuck     what waits, what fires, what does not go on and what to do about it
  preview <jobId>   what a redrive would do   execution|trail <jobId>   a job state by state, its way over the messages
  audit [<jobId>]   who did what, and why     --actor --action --after --before
  failure <code>    what a failure code means and what to do`;

export const lookOptions = { actor: { type: 'string' }, action: { type: 'string' } } as const;

/** What is only looked at, and changes nothing. Each gives the exit code. */
export const lookCommands: Readonly<Record<string, (call: LookCall) => Promise<number>>> = {
  queues: async (call) => await look(call, 'getQueues'),
  outbox: async (call) => await look(call, 'getOutbox'),
  alerts: async (call) => await look(call, 'getAlerts'),
  stuck,
  preview: async (call) => await look(call, 'previewRedrive', ofJob(call)),
  execution: async (call) => await look(call, 'getExecution', ofJob(call)),
  trail: async (call) => await look(call, 'getTrail', ofJob(call)),
  failure: async (call) =>
    await look(call, 'getFailureCode', { path: { code: wanted(call.words[0], '<code>') } }),
  audit: async (call) => {
    const { actor, action, after, before } = call.flags;
    const query = { jobId: call.words[0], actor, action, after, before };
    return await look(call, 'getAudit', { query });
  },
};

async function look(
  { api, flags }: LookCall,
  name: keyof Operations,
  input: CallInput = {},
): Promise<number> {
  const { body } = await callApi(api, name, input);
  if (flags.json === true) showJson(body);
  else console.log(JSON.stringify(body, null, 2));
  return 0;
}

/** A line for each job, and one for what to do. */
async function stuck({ api, flags }: LookCall): Promise<number> {
  const { jobs } = (await callApi(api, 'getStuckJobs')).body;
  if (flags.json === true) {
    showJson({ jobs });
    return 0;
  }
  for (const { why, state, type, jobId, status, ageSeconds, usualSeconds, nextAction } of jobs) {
    const where = state === null ? '' : ` in ${state}`;
    const usual = usualSeconds === null ? '' : ` (p99 ${usualSeconds.toFixed(1)} s)`;
    console.log(
      `${why}  ${jobId}  ${type}  ${status}${where}  ${Math.round(ageSeconds)} s${usual}`,
    );
    console.log(`    → ${nextAction}`);
  }
  if (jobs.length === 0) console.log('No job is stuck.');
  return 0;
}

const ofJob = ({ words }: LookCall): CallInput => ({
  path: { jobId: wanted(words[0], '<jobId>') },
});

function wanted(value: string | undefined, what: string): string {
  if (value === undefined) throw new UsageError(`${what} is wanted`);
  return value;
}
