import { fileURLToPath } from 'node:url';
import { variants } from './iam-files.ts';
import { createSynthesizer } from './synthesize.ts';

const ownTypes = fileURLToPath(new URL('job-types', import.meta.url));
const synthesizer = await createSynthesizer([ownTypes]);

/** Of all types that are deployed, with one of the tests' own that infra/ has never heard of. */
export const { registry } = synthesizer;

/** Every variant, synthesised once for all tests of template.test.ts. */
export const stages = variants.map(({ name, stage }) => ({
  name,
  stage,
  ...synthesizer.synthesize(stage),
}));
