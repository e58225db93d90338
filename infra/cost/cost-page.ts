// Writes docs/cost.md: `node infra/cost/cost-page.ts`. A test holds the page against the definitions and the prices.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadJobTypes, type Registry } from '../../statemachines/registry.ts';
import { stages } from '../stages.ts';
import { jobCost, sumOf, workOf } from './job-cost.ts';
import { stageCost } from './stage-cost.ts';

export const costPageFile = fileURLToPath(new URL('../../docs/cost.md', import.meta.url));

const usd = (amount: number): string => (amount < 10 ? amount.toFixed(2) : amount.toFixed(0));
const thousands = (amount: number): string => Math.round(amount).toLocaleString('en-US');
const secondsPerMonth = 730 * 3_600;

export function costPage(registry: Registry): string {
  const types = [...registry.values()].map((jobType) => {
    const work = workOf(jobType);
    return { type: jobType.type, work, cost: jobCost(work, jobType.payload) };
  });
  const typeRows = types.map(({ type, work, cost }) => {
    const { transitions, lambda, queues, events, payload } = cost;
    const parts = [transitions, lambda, queues + events, payload, sumOf(cost)];
    const shown = parts.map((part) => usd(part * 1_000));
    return `| \`${type}\` | ${work.transitions} | ${work.invocations} | ${shown.join(' | ')} |`;
  });
  const monthRows = types.map(({ type, cost }) => {
    const months = [1, 100, 1_000].map((rate) => thousands(sumOf(cost) * rate * secondsPerMonth));
    return `| \`${type}\` | ${months.join(' | ')} |`;
  });
  const { dev, prod } = { dev: stageCost(stages.dev), prod: stageCost(stages.prod) };
  const stageRows = Object.keys(dev).map(
    (part) => `| ${part} | ${usd(dev[part] ?? 0)} | ${usd(prod[part] ?? 0)} |`,
  );
  return `# What it costs

Made by \`infra/cost/cost-page.ts\` from the definitions in \`statemachines/\`, the stages in \`infra/stages.ts\` and the prices
in \`infra/cost/prices.ts\` (us-east-1, USD, mid-2026, most of them from dated third-party guides: check them in the AWS
Pricing Calculator). Free tiers, data transfer, logs, Container Insights and the database's growth with load are left out.

## A job

USD per 1,000 jobs, on the longest way without errors; a retry or redrive adds its transitions. A task is counted with
0.15 s, one that reads a document or a file with 2 s; \`batch-import\` with one chunk.

| type | transitions | invocations | transitions, USD | Lambda | queues and events | payload | sum |
|---|---|---|---|---|---|---|---|
${typeRows.join('\n')}

## A month of jobs

USD, at so many jobs a second all day. The Standard workflow's transitions are the greatest part.

| type | 1/s | 100/s | 1,000/s |
|---|---|---|---|
${monthRows.join('\n')}

## A stage that waits

USD a month before the first job.

| | dev | prod |
|---|---|---|
${stageRows.join('\n')}
| **sum** | **${usd(sumOf(dev))}** | **${usd(sumOf(prod))}** |

## What to change at which scale

- **Up to about one job/s** the stage (prod) costs more than its jobs do: leave the definitions as they are.
- **From there on** transitions lead. Two states that always follow each other and are both idempotent may be one task:
  each state saved saves 25 USD per million jobs. \`mark-running\` is the first candidate: every task opens the run anyway.
- **From about 100 jobs/s** put the short, idempotent middle of a definition into an Express child (billed by time, not by
  transitions), and keep the Standard machine for what must be redrivable by state. Savings Plans for Fargate, reserved
  instances for the database.
- **Rows, not jobs:** a file of many rows is one job whose distributed Map runs Express children over chunks; one job a row
  would cost a thousand times more.
`;
}

if (import.meta.main) writeFileSync(costPageFile, costPage(await loadJobTypes()));
