import { fileURLToPath } from 'node:url';
import type { Stage } from '../../infra/stages.ts';
import { localAccount } from './account.ts';
import { iamListing } from './iam-listing.ts';
import { dev, prod } from './synthesize.ts';
import { createResolver, type Template } from './template.ts';

/** The stages as they are deployed, and one whose dispatcher is a function. */
export const variants: readonly { readonly name: string; readonly stage: Stage }[] = [
  { name: 'dev', stage: dev },
  { name: 'prod', stage: prod },
  { name: 'dev-dispatcher-on-lambda', stage: { ...dev, dispatcher: 'lambda' } },
];

export const iamFileOf = (name: string): string =>
  fileURLToPath(new URL(`iam/${name}.txt`, import.meta.url));

/** The tests' own job type is no part of a deployment. */
export const iamOf = (templates: ReadonlyMap<string, Template>): string =>
  iamListing(
    templates,
    createResolver(templates, localAccount({})),
    (role) => !/hello/i.test(role),
  );
