// Writes test/infra/iam/: `node test/infra/write-iam.ts`. template.test.ts holds the files against the templates.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { iamFileOf, iamOf, variants } from './iam-files.ts';
import { createSynthesizerIn } from './synthesize.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-iam-'));
try {
  const { synthesize } = await createSynthesizerIn(folder);
  for (const { name, stage } of variants) {
    writeFileSync(iamFileOf(name), iamOf(synthesize(stage).templates));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
