// The CDK app, as cdk.json runs it: `-c stage=dev` (default) or `-c stage=prod`, `-c region=<region>`.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { loadJobTypes } from '../statemachines/registry.ts';
import { buildApp } from './build-app.ts';
import { bundleFunctions } from './bundle-functions.ts';
import { functionSources } from './function-sources.ts';
import { pawlImage } from './image.ts';
import { installForArm64 } from './install-packages.ts';
import { stageOf } from './stages.ts';

const app = new App();
const text = (name: string, fallback: string): string =>
  String(app.node.tryGetContext(name) ?? fallback);

const registry = await loadJobTypes();
buildApp(app, {
  stage: stageOf(text('stage', 'dev')),
  region: text('region', 'us-east-1'),
  registry,
  bundles: await bundleFunctions({
    sources: functionSources(registry),
    outFolder: join(
      fileURLToPath(new URL('../', import.meta.url)),
      'node_modules/.cache/pawl/functions',
    ),
    nativeModules: installForArm64(),
  }),
  image: pawlImage(),
});
app.synth();
