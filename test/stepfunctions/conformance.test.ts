import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryFolder } from './engine-fixture.ts';
import { startEngineProcess } from './engine-process.ts';

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

async function runCases(areas: readonly string[], concurrency: number): Promise<Result[]> {
  const folder = temporaryFolder();
  const lambdaPort = await freePort();
  const engine = await startEngineProcess({
    dataDir: join(folder, 'data'),
    env: { LAMBDA_ENDPOINT: `http://127.0.0.1:${lambdaPort}` },
  });
  const report = join(folder, 'report.json');
  const runner = spawn(
    process.execPath,
    [
      join(CASES, 'run.mjs'),
      `--endpoint=${engine.endpoint}`,
      `--cases=${CASES}`,
      `--report=${report}`,
      `--lambda-port=${lambdaPort}`,
      `--area=${areas.join(',')}`,
      `--concurrency=${concurrency}`,
    ],
    { cwd: folder, env: { ...process.env, SFN_SDK_DIR: REPOSITORY }, stdio: 'inherit' },
  );
  const [code] = await once(runner, 'exit');
  assert.equal(code, 0, 'the runner itself failed');
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
  const results = await runCases(
    areas.filter((area) => !isApi(area)),
    6,
  );
  assertOnlyKnownDifferences(context, results);
});

test('the API answers as AWS answered', { skip }, async (context) => {
  assertOnlyKnownDifferences(context, await runCases(areas.filter(isApi), 1));
});
