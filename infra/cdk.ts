// `npm run synth` and `npm run deploy`: the CDK's command line, on the Node that runs this, with what is given after `--`.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sumOf } from './cost/job-cost.ts';
import { stageCost } from './cost/stage-cost.ts';
import { stages } from './stages.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const [command, ...args] = process.argv.slice(2);

const cli = spawn(
  process.execPath,
  [
    join(root, 'node_modules/aws-cdk/bin/cdk'),
    command ?? 'synth',
    '--app',
    `"${process.execPath}" infra/app.ts`,
    ...args,
  ],
  { cwd: root, stdio: 'inherit' },
);
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => cli.kill(name));
cli.once('exit', (code) => {
  if (code === 0 && command === 'synth') describeOutput(join(root, 'cdk.out'));
  process.exitCode = code ?? 1;
});

/** What each stack holds, one line each, and what the stage costs. */
function describeOutput(folder: string): void {
  const { artifacts } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    artifacts: Record<string, { type: string }>;
  };
  const stacks = Object.entries(artifacts).filter(
    ([, { type }]) => type === 'aws:cloudformation:stack',
  );
  for (const [stack] of stacks) {
    // Written by the CDK just now.
    const template = JSON.parse(readFileSync(join(folder, `${stack}.template.json`), 'utf8')) as {
      Resources?: Record<string, unknown>;
    };
    const count = Object.keys(template.Resources ?? {}).length;
    console.log(`${String(count).padStart(4)} resources  ${stack}`);
  }
  for (const stage of Object.values(stages)) {
    if (!stacks.some(([stack]) => stack.startsWith(`pawl-${stage.name}-`))) continue;
    const usd = Math.round(sumOf(stageCost(stage)));
    console.log(`${stage.name} costs about ${usd} USD a month before the first job (docs/cost.md)`);
  }
  console.log('cdk-nag AwsSolutions: no finding without a reason (infra/acknowledged-findings.ts)');
}
