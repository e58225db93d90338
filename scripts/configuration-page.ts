// Writes docs/configuration.md from what jobs/config.ts reads: `node scripts/configuration-page.ts`.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { documentedVariables } from '../jobs/config.ts';

export const configurationPageFile = fileURLToPath(
  new URL('../docs/configuration.md', import.meta.url),
);

/** The page's text; a test holds the file against it. */
export function configurationPage(): string {
  const rows = documentedVariables()
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, readBy, fallback, means }) => {
      const shown =
        fallback === undefined ? 'required' : fallback === '' ? 'not set' : `\`${fallback}\``;
      return `| \`${name}\` | ${readBy.join(', ')} | ${shown} | ${means.replaceAll('|', '\\|')} |`;
    });
  return `# Configuration

Everything is set by environment variables, read and checked at once when a process starts: a process that cannot run
lists every problem and ends. This page is made from \`jobs/config.ts\`; \`npm start\` sets all of them by itself.

| variable | read by | default | means |
|---|---|---|---|
${rows.join('\n')}

The AWS SDK reads its own: \`AWS_REGION\`, credentials, and \`AWS_ENDPOINT_URL_SFN\`, \`_SQS\`, \`_S3\`, \`_EVENTBRIDGE\`, which
on one machine point to the stand-ins.
`;
}

if (import.meta.main) writeFileSync(configurationPageFile, configurationPage());
