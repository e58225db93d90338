// Writes docs/failures.md from the code that classifies failures: `node scripts/failures-page.ts`.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  awsVerdict,
  connectionCodes,
  networkCodes,
  s3Codes,
  s3Verdict,
  sqlStates,
  throttlingNames,
} from '../jobs/classify.ts';
import { failureCodes } from '../jobs/failure-codes.ts';
import { callOutcome } from '../tasks/runtime/http-outcome.ts';

export const failuresPageFile = fileURLToPath(new URL('../docs/failures.md', import.meta.url));

type Verdict = ReturnType<typeof s3Verdict>;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const code = (text: string): string => `\`${text}\``;

const verdictCells = ({ kind, code: name }: Verdict): string[] => [
  kind === 'transient' ? 'Transient' : 'Terminal',
  code(name),
];

const sqlRows = (): string[][] =>
  Object.entries(sqlStates).map(([state, verdict]) => [
    state.length === 2 ? `class ${code(state)}` : code(state),
    ...verdictCells(verdict),
  ]);

const s3Rows = (): string[][] =>
  Object.entries(s3Codes).map(([name, verdict]) => [code(name), ...verdictCells(verdict)]);

/** What the classifying functions say of an SDK error with this HTTP status and no code that they know. */
const sdkStatusRows = (): string[][] =>
  [400, 403, 404, 412, 429, 500, 503].map((status) => {
    const error = { name: 'Other', $fault: 'client', $metadata: { httpStatusCode: status } };
    return [String(status), ...verdictCells(s3Verdict(error)), ...verdictCells(awsVerdict(error))];
  });

/** The statuses of a provider's answer, in ranges that mean the same. */
function providerRows(): string[][] {
  const ranges: { from: number; to: number; means: string }[] = [];
  for (let status = 200; status < 600; status += 1) {
    const plain = kindOf(status, undefined);
    const asked = kindOf(status, '1');
    const means = plain === asked ? plain : `${plain}; with Retry-After ${asked}`;
    const last = ranges.at(-1);
    if (last?.means === means) last.to = status;
    else ranges.push({ from: status, to: status, means });
  }
  return ranges.map(({ from, to, means }) => [from === to ? `${from}` : `${from} to ${to}`, means]);
}

const kindOf = (status: number, retryAfter: string | undefined): string =>
  callOutcome({ kind: 'answered', status, retryAfter, body: '' }, () => null, new Date()).kind;

const codeRows = (): string[][] =>
  Object.entries(failureCodes).map(([name, { retryable, means }]) => [
    code(name),
    retryable ? 'yes' : 'no',
    means,
  ]);

const list = (names: Iterable<string>): string => [...names].map(code).join(', ');

/** The page's text; a test holds the file against it. */
export const failuresPage = (): string => `# Failures

A task throws **Transient** (may succeed when tried again with nothing changed; every \`Retry\` has it) or **Terminal**
(will fail again in the same way; nothing retries it), each with a code. \`errorMessage\` is JSON
\`{code, state, message}\`, so that the execution's \`cause\` says which state failed and why. An error that no table
knows is a bug: Terminal \`TASK_FAULT\`, because retrying the unknown hides it.
This page is made from \`jobs/classify.ts\`, \`jobs/failure-codes.ts\` and \`tasks/runtime/http-outcome.ts\`.

## From the database

${table(['SQLSTATE', 'class', 'code'], sqlRows())}

Every other SQLSTATE is Terminal \`DATABASE_ERROR\`. A connection that is gone (${list(connectionCodes)}) is Transient
\`DATABASE_UNAVAILABLE\`. An error while committing leaves the outcome unknown; every write here may be repeated.

## From S3

${table(['error code', 'class', 'code'], s3Rows())}

## From the AWS SDK

An error whose code is not in the table goes by its HTTP status:

${table(['status', 'S3', 'code', 'SQS, Step Functions, EventBridge', 'code'], sdkStatusRows())}

Whatever the status, throttling (${list(throttlingNames)}) is Transient, and so is a connection that could not be made
or broke (${list(networkCodes)}), and an answer that is not the service's own (a proxy's page).

## From a provider

What an answer says about whether the thing was done; [the effect log](decisions/effect-log.md) says what follows.

${table(['status', 'outcome'], providerRows())}

No answer: \`not-done\` where no connection was made (refused, DNS, TLS), \`unknown\` after that (reset, timeout).
Redirects are not followed.

## The codes

\`retryable\` tells whether a redrive may well succeed without anything being mended first.

${table(['code', 'retryable', 'means'], codeRows())}
`;

if (import.meta.main) writeFileSync(failuresPageFile, failuresPage());
