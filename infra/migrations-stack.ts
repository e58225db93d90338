import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { InvocationType, Trigger } from 'aws-cdk-lib/triggers';
import type { Construct } from 'constructs';
import type { FunctionBundle } from './bundle-functions.ts';
import { type DataStack, database, readSecret } from './data-stack.ts';
import type { NetworkStack } from './network-stack.ts';
import type { Stage } from './stages.ts';
import { pawlFunction } from './task-function.ts';

type Inputs = {
  readonly stage: Stage;
  readonly network: NetworkStack;
  readonly data: DataStack;
  readonly bundle: FunctionBundle;
};

/** As long as a function may run; a longer migration is run by hand before the deployment (docs/deploy.md). */
const timeout = Duration.minutes(15);

/**
 * Brings the database to the schema that this source tree knows, whenever the migrations or their code have changed.
 * The stacks with code in them depend on this one: expand first, so that the code before and after both work.
 */
export class MigrationsStack extends Stack {
  constructor(scope: Construct, id: string, inputs: Inputs, props: StackProps) {
    super(scope, id, props);
    const { stage, network, data, bundle } = inputs;
    const handler = pawlFunction(this, 'Migrate', {
      stage,
      network,
      group: network.groups.migrations,
      functionName: 'pawl-migrate',
      description: 'Makes the database role of Pawl and applies the migrations',
      bundle,
      timeoutSeconds: timeout.toSeconds(),
      memoryMb: 512,
      environment: {
        ADMIN_SECRET_ARN: data.masterSecret.secretArn,
        DATABASE_URL: `postgres://${data.instance.dbInstanceEndpointAddress}:5432/${database.name}?sslmode=verify-full`,
        DATABASE_ROLE: database.role,
      },
    });
    handler.addToRolePolicy(readSecret(data.masterSecret));
    new Trigger(this, 'MigrateNow', {
      handler,
      timeout,
      invocationType: InvocationType.REQUEST_RESPONSE,
    });
  }
}
