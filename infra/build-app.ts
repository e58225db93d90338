import { type App, Tags, Validations } from 'aws-cdk-lib';
import type { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { Registry } from '../statemachines/registry.ts';
import { acknowledgeFindings } from './acknowledged-findings.ts';
import type { FunctionBundle } from './bundle-functions.ts';
import { DataStack } from './data-stack.ts';
import { MessagingStack } from './messaging-stack.ts';
import { MigrationsStack } from './migrations-stack.ts';
import { migrationsBundle } from './function-sources.ts';
import { NetworkStack } from './network-stack.ts';
import { OperationsStack } from './operations-stack.ts';
import { OrchestrationStack } from './orchestration-stack.ts';
import { ServicesStack } from './services-stack.ts';
import type { Stage } from './stages.ts';

export type AppInputs = {
  readonly stage: Stage;
  readonly region: string;
  readonly registry: Registry;
  /** By task name; with those of infra's own functions. */
  readonly bundles: ReadonlyMap<string, FunctionBundle>;
  readonly image: ContainerImage;
};

/** All stacks of one stage, checked by cdk-nag when they are synthesised. One stage an account and region. */
export function buildApp(app: App, inputs: AppInputs): App {
  const { stage, region, registry, bundles, image } = inputs;
  const props = (concern: string) => ({
    stackName: `pawl-${stage.name}-${concern}`,
    description: `Pawl, stage ${stage.name}: ${concern}`,
    env: { region },
    terminationProtection: stage.deletionProtection,
  });
  const id = (concern: string): string => `pawl-${stage.name}-${concern}`;

  const network = new NetworkStack(app, id('network'), stage, props('network'));
  const data = new DataStack(app, id('data'), stage, network, props('data'));
  const messaging = new MessagingStack(app, id('messaging'), stage, props('messaging'));
  const bundle = bundles.get(migrationsBundle);
  if (bundle === undefined) throw new Error('the migrations were not bundled');
  const migrations = new MigrationsStack(
    app,
    id('migrations'),
    { stage, network, data, bundle },
    props('migrations'),
  );
  const shared = { stage, network, data, messaging, registry, bundles };
  const orchestration = new OrchestrationStack(
    app,
    id('orchestration'),
    shared,
    props('orchestration'),
  );
  const services = new ServicesStack(app, id('services'), { ...shared, image }, props('services'));
  const operations = { data, messaging, orchestration, services };
  new OperationsStack(app, id('operations'), operations, props('operations'));

  // Code follows the schema it needs; a worker starts what is there.
  orchestration.addStackDependency(migrations);
  services.addStackDependency(migrations);
  services.addStackDependency(orchestration);
  Tags.of(app).add('service', 'pawl');
  Tags.of(app).add('stage', stage.name);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  acknowledgeFindings(app, stage);
  return app;
}
