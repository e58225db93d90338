// `npm run synth` and `npm run deploy`: the CDK's command line, on the Node that runs this, with what is given after `--`.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

/** What each stack holds, one line each. */
function describeOutput(folder: string): void {
  const stacks = readdirSync(folder).filter((name) => name.endsWith('.template.json'));
  for (const file of stacks) {
    // Written by the CDK just now.
    const template = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      Resources?: Record<string, unknown>;
    };
    const count = Object.keys(template.Resources ?? {}).length;
    console.log(`${String(count).padStart(4)} resources  ${file.replace('.template.json', '')}`);
  }
  console.log('cdk-nag AwsSolutions: no finding without a reason (infra/acknowledged-findings.ts)');
}
