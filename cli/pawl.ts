// `npm run pawl -- <command>`
import { parseArgs } from 'node:util';
import {
  createPawlClient,
  JobNotSucceeded,
  PawlProblem,
  PawlUnreachable,
  UploadRefused,
} from '../client/pawl-client.ts';
import { commands, type Flags } from './commands.ts';
import {
  operatorCommands,
  type OperatorFlags,
  operatorOptions,
  operatorUsage,
} from './operator-commands.ts';
import { UsageError } from './usage-error.ts';

const usage = `npm run pawl -- <command>

  submit <type>     submit a job       --input <json> --input-file <file> --file <payload> --content-type <type>
                                       --tag <name=value>… --not-before <time> --expires-at <time>
                                       --unique-key <key> --ordering-key <key> --idempotency-key <key> --wait
  get <jobId>       show a job
  watch <jobId>     follow a job until it is final
  result <jobId>    print its result
  errors <jobId>    print which rows failed and why
  list              list jobs          --status --type --tag <name[:value]> --created-after --created-before
                                       --failure-code --failure-text --limit <n>
  cancel <jobId>    cancel a job       --reason <text>
  redrive <jobId>   run it again       --mode <auto|resume|restart> --reason <text>   (with an operator's key)
  upload <file>     upload a payload   --content-type <type>

With an operator's key:
${operatorUsage}

  --json            print JSON, one value a line
  --url, --key      where the API is and the key; else PAWL_URL (http://127.0.0.1:3000) and PAWL_KEY`;

const text = { type: 'string' } as const;
const options = {
  url: text,
  key: text,
  json: { type: 'boolean' },
  wait: { type: 'boolean' },
  help: { type: 'boolean' },
  tag: { type: 'string', multiple: true },
  input: text,
  'input-file': text,
  file: text,
  'content-type': text,
  'not-before': text,
  'expires-at': text,
  'unique-key': text,
  'ordering-key': text,
  'idempotency-key': text,
  status: text,
  type: text,
  'created-after': text,
  'created-before': text,
  'failure-code': text,
  'failure-text': text,
  limit: text,
  reason: text,
  mode: text,
  ...operatorOptions,
} as const;

// Whoever reads what we print may have read enough: `pawl watch … | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const { flags, positionals } = readArguments();
    const [name = '', argument] = positionals;
    if (flags.help === true) return print(usage);
    const command = commands[name];
    const operate = operatorCommands[name];
    if (command === undefined && operate === undefined)
      throw new UsageError(name === '' ? 'a command is wanted' : `there is no command ${name}`);
    const key = flags.key ?? process.env['PAWL_KEY'];
    if (key === undefined) throw new UsageError('no key: set PAWL_KEY or give --key');
    const url = flags.url ?? process.env['PAWL_URL'] ?? 'http://127.0.0.1:3000';
    if (operate !== undefined) {
      return await operate({ api: { url, key }, flags, words: positionals.slice(1) });
    }
    await command?.({ pawl: createPawlClient({ url, key }), flags, argument });
    return 0;
  } catch (error) {
    return explain(error);
  }
}

function readArguments(): { flags: Flags & OperatorFlags; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    return { flags: values, positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function print(line: string): number {
  console.log(line);
  return 0;
}

/** Says what went wrong; gives the exit code. A bug is thrown on, with its stack. */
function explain(error: unknown): number {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${usage}`);
    return 2;
  }
  const isTold =
    error instanceof PawlProblem ||
    error instanceof PawlUnreachable ||
    error instanceof JobNotSucceeded ||
    error instanceof UploadRefused;
  if (!isTold) throw error;
  console.error(error.message);
  return 1;
}
