import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { buildApp } from '../../infra/build-app.ts';
import { bundleFunctions, type FunctionBundle } from '../../infra/bundle-functions.ts';
import { functionSources } from '../../infra/function-sources.ts';
import { type Stage, stages } from '../../infra/stages.ts';
import { loadJobTypes, type Registry } from '../../statemachines/registry.ts';
import type { Template } from './template.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export type Synthesis = {
  /** By concern: network, data, … */
  readonly templates: ReadonlyMap<string, Template>;
  readonly outdir: string;
};

export type Synthesizer = {
  readonly registry: Registry;
  readonly bundles: ReadonlyMap<string, FunctionBundle>;
  /** Throws what cdk-nag finds. */
  readonly synthesize: (stage: Stage) => Synthesis;
};

/** In a temporary folder that is gone when the file's tests are over. */
export async function createSynthesizer(
  jobTypeFolders: readonly string[] = [],
): Promise<Synthesizer> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-infra-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return await createSynthesizerIn(folder, jobTypeFolders);
}

/** Bundles every function once, for this machine; the stages are then synthesised from the same bundles. */
export async function createSynthesizerIn(
  folder: string,
  jobTypeFolders: readonly string[] = [],
): Promise<Synthesizer> {
  const registry = await loadJobTypes(jobTypeFolders);
  const bundles = await bundleFunctions({
    sources: functionSources(registry),
    outFolder: join(folder, 'functions'),
    nativeModules: join(root, 'node_modules'),
  });
  return {
    registry,
    bundles,
    synthesize: (stage) => {
      const outdir = mkdtempSync(join(folder, `${stage.name}-`));
      const app = new App({ context: cdkContext(), outdir });
      buildApp(app, {
        stage,
        region: 'us-east-1',
        registry,
        bundles,
        image: ContainerImage.fromRegistry('pawl'),
      });
      const { stacks } = app.synth();
      const concernOf = (name: string): string => name.replace(`pawl-${stage.name}-`, '');
      return {
        outdir,
        templates: new Map(
          stacks.map(({ stackName, template }) => [concernOf(stackName), template as Template]),
        ),
      };
    },
  };
}

/** The feature flags of cdk.json, which the command line passes to the app. */
const cdkContext = (): Record<string, unknown> => {
  const settings: { context: Record<string, unknown> } = JSON.parse(
    readFileSync(join(root, 'cdk.json'), 'utf8'),
  );
  return settings.context;
};

export const { dev, prod } = stages;
