import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test, type TestContext } from 'node:test';
import type { Json } from '../../local/stepfunctions/language/json.ts';
import { parseMockConfig } from '../../local/stepfunctions/mocking/mock-config.ts';
import { fail, startFixture, temporaryFolder } from './engine-fixture.ts';
import { answerQueues, prepareServiceCases } from './conformance-services.ts';
import { startCloud } from '../support/start-cloud.ts';
import { clientOf, startEngineProcess } from './engine-process.ts';

/** 836 cases recorded from AWS, kept beside the repository; its README says how they are compared. */
const CASES = resolve(import.meta.dirname, '../../../shared/conformance');
const REPOSITORY = resolve(import.meta.dirname, '../..');
/** Why a case may differ, by its name. A case that agrees must not be listed, one that differs must. */
const DIFFERENCES = new URL('conformance-differences.json', import.meta.url);

type Result = {
  readonly name: string;
  readonly area: string;
  readonly skipped?: string;
  readonly outcome?: boolean;
  /** Event for event, whatever the interleaving of branches that run side by side. */
  readonly historyRelaxed?: boolean;
  readonly why?: Readonly<Record<string, string>>;
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

type Run = {
  readonly areas: readonly string[];
  readonly concurrency: number;
  readonly cases?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Beside the cases, until they are done. */
  readonly beside?: (endpoint: string) => { stop(): Promise<void> };
};

async function runCases({
  areas,
  concurrency,
  cases = CASES,
  env = {},
  beside,
}: Run): Promise<Result[]> {
  const folder = temporaryFolder();
  const lambdaPort = await freePort();
  const engine = await startEngineProcess({
    dataDir: join(folder, 'data'),
    env: { ...env, LAMBDA_ENDPOINT: `http://127.0.0.1:${lambdaPort}` },
  });
  const helping = beside?.(engine.endpoint);
  const report = join(folder, 'report.json');
  const runner = spawn(
    process.execPath,
    [
      join(CASES, 'run.mjs'),
      `--endpoint=${engine.endpoint}`,
      `--cases=${cases}`,
      `--report=${report}`,
      `--lambda-port=${lambdaPort}`,
      `--area=${areas.join(',')}`,
      `--concurrency=${concurrency}`,
      ...(cases === CASES ? [] : ['--include=all']),
    ],
    { cwd: folder, env: { ...process.env, SFN_SDK_DIR: REPOSITORY }, stdio: 'inherit' },
  );
  const [code] = await once(runner, 'exit');
  assert.equal(code, 0, 'the runner itself failed');
  await helping?.stop();
  await engine.stop();
  const { results } = JSON.parse(readFileSync(report, 'utf8')) as { results: Result[] };
  return results;
}

const differs = ({ outcome, historyRelaxed }: Result): boolean =>
  outcome === false || historyRelaxed === false;

function assertOnlyKnownDifferences(context: TestContext, results: readonly Result[]): void {
  const known = JSON.parse(readFileSync(DIFFERENCES, 'utf8')) as Record<string, string>;
  const run = results.filter(({ skipped }) => skipped === undefined);
  const differing = run.filter(differs);
  context.diagnostic(`${run.length - differing.length} of ${run.length} cases agree with AWS`);
  const unknown = differing.filter(({ name }) => !(name in known));
  assert.deepEqual(
    unknown.map(({ name, why }) => `${name}: ${JSON.stringify(why)}`),
    [],
    'cases that differ from AWS and are not in conformance-differences.json',
  );
  const agreeing = run.filter((result) => result.name in known && !differs(result));
  assert.deepEqual(
    agreeing.map(({ name }) => name),
    [],
    'cases that agree with AWS by now: take them out of conformance-differences.json',
  );
}

const isThere = existsSync(join(CASES, 'run.mjs'));
const areas = isThere
  ? readdirSync(CASES)
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length))
  : [];
// List calls see whatever else the engine holds: these run alone, on a fresh one.
const isApi = (area: string): boolean => area.startsWith('api');
const skip = isThere ? false : `${CASES} is not there: the recordings from AWS are not compared`;

test('executions and single states go as they went on AWS', { skip }, async (context) => {
  const results = await runCases({
    areas: areas.filter((area) => !isApi(area)),
    concurrency: 6,
  });
  assertOnlyKnownDifferences(context, results);
});

test('the API answers as AWS answered', { skip }, async (context) => {
  assertOnlyKnownDifferences(
    context,
    await runCases({ areas: areas.filter(isApi), concurrency: 1 }),
  );
});

test('states that call SQS, SNS and S3 go as they went on AWS', { skip }, async (context) => {
  const cloud = await startCloud();
  const prepared = await prepareServiceCases(CASES, join(temporaryFolder(), 'cases'), cloud);
  const results = await runCases({
    areas: prepared.areas,
    concurrency: 4,
    cases: prepared.folder,
    env: {
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_SQS: cloud.endpoint,
      AWS_ENDPOINT_URL_SNS: cloud.endpoint,
      AWS_ENDPOINT_URL_S3: cloud.s3Endpoint,
    },
    beside: (endpoint) => answerQueues(prepared.queues, cloud, clientOf(endpoint)),
  });
  await cloud.stop();
  assertOnlyKnownDifferences(context, results);
});

type MockCase = {
  readonly name: string;
  readonly area: string;
  readonly definition: object;
  readonly input: string;
  readonly expected: { readonly events?: readonly object[]; readonly unordered?: unknown };
  readonly mock?: {
    readonly config: object;
    readonly testCase: string;
    readonly stateMachineName: string;
  };
};

type Comparing = new () => {
  outcome(expected: object, actual: object): string | null;
  history(
    expected: readonly object[],
    actual: readonly object[],
    unordered: unknown,
  ): string | null;
};

test('mocked states answer as their configuration says', { skip }, async (context) => {
  const { Comparator } = (await import(pathToFileURL(join(CASES, 'run.mjs')).href)) as {
    Comparator: Comparing;
  };
  const comparator = new Comparator();
  const { cases } = JSON.parse(readFileSync(join(CASES, 'local_mocking.json'), 'utf8')) as {
    cases: MockCase[];
  };
  const results: Result[] = [];
  for (const { name, area, definition, input, expected, mock } of cases) {
    if (!mock) continue;
    const fixture = await startFixture(() => fail('Called', 'a mocked state called its service'), {
      mockConfig: parseMockConfig(JSON.stringify(mock.config)),
    });
    const arn = await fixture.create(definition, { name: mock.stateMachineName });
    const executionArn = await fixture.start(`${arn}#${mock.testCase}`, JSON.parse(input) as Json);
    const { status, output = null, error = null, cause = null } = await fixture.ended(executionArn);
    const outcome = comparator.outcome(expected, { status, output, error, cause });
    const history =
      expected.events &&
      comparator.history(expected.events, await fixture.history(executionArn), expected.unordered);
    fixture.stop();
    results.push({
      name,
      area,
      outcome: outcome === null,
      ...(history !== undefined && { historyRelaxed: history === null }),
      why: { outcome: outcome ?? '', history: history ?? '' },
    });
  }
  assertOnlyKnownDifferences(context, results);
});
