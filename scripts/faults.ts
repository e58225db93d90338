// `npm run faults`: the long form of test/faults (docs/faults.md).
//   npm run faults -- --seed 7 --jobs 2000 --seconds 120   chaos; the same seed, the same faults
//   npm run faults -- redrive --jobs 10000                 so many dead letters redriven: each is done once
//   npm run faults -- mutate                               every guard switched off in turn: the tests must go red
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type ChaosOptions,
  type ChaosReport,
  describeReport,
  runChaos,
} from '../test/faults/chaos.ts';
import { redriveDeadLetters } from '../test/faults/dead-letter-redrive.ts';
import { comeToRest, violations } from '../test/faults/invariants.ts';
import { type Lab, startLab } from '../test/faults/lab.ts';
import { checkMutations } from '../test/faults/mutate.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    jobs: { type: 'string' },
    seconds: { type: 'string', default: '120' },
    rest: { type: 'string', default: '180' },
    only: { type: 'string' },
  },
});

if (positionals[0] === 'mutate') {
  process.exitCode = (await checkMutations(values.only)) ? 0 : 1;
} else if (positionals[0] === 'redrive') {
  process.exitCode = (await redrive()) ? 0 : 1;
} else {
  process.exitCode = (await chaos()) ? 0 : 1;
}

async function redrive(): Promise<boolean> {
  const lab = await startLab();
  try {
    const report = await redriveDeadLetters(lab, wholeNumber('jobs', values.jobs ?? '10000'));
    await comeToRest(lab, 60_000);
    const wrong = [
      ...report.violations,
      ...(await violations(lab, { accepted: report.accepted, secrets: ['the bytes of'] })),
    ];
    const { deadLetters, redriveSeconds, seconds } = report;
    console.log(`${deadLetters} dead letters of ${report.accepted.length} jobs`);
    console.log(`redriven in ${redriveSeconds.toFixed(1)} s, all done in ${seconds.toFixed(1)} s`);
    for (const line of wrong) console.log(line);
    console.log(`${wrong.length} violations`);
    return wrong.length === 0;
  } finally {
    await lab.stop();
  }
}

async function chaos(): Promise<boolean> {
  const options = {
    seed: wholeNumber('seed', values.seed),
    jobs: wholeNumber('jobs', values.jobs ?? '2000'),
    seconds: wholeNumber('seconds', values.seconds),
    restSeconds: wholeNumber('rest', values.rest),
  };
  console.log(`seed ${options.seed} …`);
  const dataDir = mkdtempSync(join(tmpdir(), 'pawl-faults-'));
  const lab = await startLab({}, dataDir);
  const report = await reportOf(lab, options);
  for (const line of describeReport(options, report)) console.log(line);
  if (report.violations.length > 0) console.log(`logs and data are kept in ${dataDir}`);
  else rmSync(dataDir, { recursive: true, force: true });
  return report.violations.length === 0;
}

async function reportOf(lab: Lab, options: ChaosOptions): Promise<ChaosReport> {
  try {
    return await runChaos(lab, options);
  } finally {
    await lab.stop();
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= 10_000_000) return value;
  throw new Error(`--${name} ${text} must be a whole number`);
}
