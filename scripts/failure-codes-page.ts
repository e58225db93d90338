// Writes docs/failure-codes.md from the closed list of codes: `node scripts/failure-codes-page.ts`.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { failureAdvice } from '../jobs/failure-advice.ts';
import { type FailureCode, failureCodes, isFailureCode } from '../jobs/failure-codes.ts';

export const failureCodesPageFile = fileURLToPath(
  new URL('../docs/failure-codes.md', import.meta.url),
);

const section = (code: FailureCode): string => {
  const { retryable, means } = failureCodes[code];
  const verdict = retryable
    ? 'A redrive may well succeed without anything being mended first.'
    : 'A redrive fails again until something is mended.';
  return `## ${code}

${means[0]?.toUpperCase()}${means.slice(1)}. ${verdict}

${failureAdvice[code]}
`;
};

/** The page's text; a test holds the file against it. Each code is an anchor: \`failure-codes.md#task_fault\`. */
export const failureCodesPage = (): string => `# Failure codes

Every code that a job's \`failure.code\`, an effect or a quarantined message can carry: what it means and what to do.
The API gives the same at \`GET /failures/<code>\`, which a failed job links to. [failures.md](failures.md) says from
which error each comes. This page is made from \`jobs/failure-codes.ts\` and \`jobs/failure-advice.ts\`.

${Object.keys(failureCodes).filter(isFailureCode).map(section).join('\n')}`;

if (import.meta.main) writeFileSync(failureCodesPageFile, failureCodesPage());
