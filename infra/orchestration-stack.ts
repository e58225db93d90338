import { ArnFormat, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { functionNameOf, stateMachineNameOf, substitutionOf } from '../statemachines/job-type.ts';
import type { RegisteredJobType, Registry } from '../statemachines/registry.ts';
import type { FunctionBundle } from './bundle-functions.ts';
import { type DataStack, readSecret } from './data-stack.ts';
import {
  assertComplete,
  deploymentParameters,
  optionalParameters,
  type Variables,
} from './environment.ts';
import { removalOf, retentionOf } from './lifetimes.ts';
import type { MessagingStack } from './messaging-stack.ts';
import type { NetworkStack } from './network-stack.ts';
import { callsOf } from './permissions/definition-calls.ts';
import { taskStatements } from './permissions/task-permissions.ts';
import { type Stage, taskConcurrency, taskPoolSize } from './stages.ts';
import { pawlFunction } from './task-function.ts';
import { type Task, tasksOf } from './tasks-of.ts';

/** Executions are started by it, and it points to the version of the last deployment. */
export const liveAlias = 'live';

export type OrchestrationInputs = {
  readonly stage: Stage;
  readonly network: NetworkStack;
  readonly data: DataStack;
  readonly messaging: MessagingStack;
  readonly registry: Registry;
  /** By task name. */
  readonly bundles: ReadonlyMap<string, FunctionBundle>;
};

/** A Lambda function for every task, and a state machine for every job type: what the registry says, no more. */
export class OrchestrationStack extends Stack {
  readonly functions: ReadonlyMap<string, lambda.Function>;
  readonly machines: ReadonlyMap<string, sfn.StateMachine>;
  readonly #inputs: OrchestrationInputs;

  constructor(scope: Construct, id: string, inputs: OrchestrationInputs, props: StackProps) {
    super(scope, id, props);
    this.#inputs = inputs;
    const tasks = tasksOf(inputs.registry);
    const environment = this.#taskEnvironment();
    const concurrency = taskConcurrency(inputs.stage, tasks.length);
    this.functions = new Map(
      tasks.map((task) => [task.name, this.#taskFunction(task, environment, concurrency)]),
    );
    this.machines = new Map(
      [...inputs.registry.values()].map((jobType) => [jobType.type, this.#machine(jobType)]),
    );
  }

  #taskEnvironment(): Variables {
    const { data, messaging } = this.#inputs;
    const known = {
      LOG_LEVEL: 'info',
      DATABASE_URL: data.taskUrl,
      DATABASE_AUTHENTICATION: 'iam',
      DATABASE_POOL_SIZE: String(taskPoolSize),
      PAYLOAD_BUCKET: messaging.payloadBucketName,
      SETTINGS_SECRET_ARN: data.settings.secretArn,
    };
    const given = deploymentParameters(this, new Set(Object.keys(known)));
    return assertComplete('tasks', { ...known, ...given, ...optionalParameters(this, 'tasks') });
  }

  #taskFunction(task: Task, environment: Variables, concurrency: number): lambda.Function {
    const { stage, network, data, messaging, bundles } = this.#inputs;
    const bundle = bundles.get(task.name);
    if (bundle === undefined) throw new Error(`the task ${task.name} was not bundled`);
    const made = pawlFunction(this, substitutionOf(task.name), {
      stage,
      network,
      group: network.groups.tasks,
      functionName: functionNameOf(task.name),
      description: `The task ${task.name} of ${task.types.join(', ')}`,
      bundle,
      timeoutSeconds: task.timeoutSeconds,
      memoryMb: task.memoryMb,
      concurrency,
      environment,
    });
    data.grantTaskLogin(made);
    made.addToRolePolicy(readSecret(data.settings));
    for (const statement of taskStatements(bundle.commands, messaging, task.types)) {
      made.addToRolePolicy(statement);
    }
    return made;
  }

  #machine(jobType: RegisteredJobType): sfn.StateMachine {
    const { stage } = this.#inputs;
    const { type, definition } = jobType;
    const id = substitutionOf(type);
    const stateMachineName = stateMachineNameOf(type);
    const functions = jobType.tasks.map((task) => this.#functionOf(task.name));
    const role = new Role(this, `${id}MachineRole`, {
      assumedBy: new ServicePrincipal('states.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
      description: `Of the state machine ${stateMachineName}`,
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: functions.map((task) => task.functionArn),
      }),
    );
    this.#grantMapRuns(role, jobType);
    const machine = new sfn.StateMachine(this, `${id}Machine`, {
      stateMachineName,
      stateMachineType: sfn.StateMachineType.STANDARD,
      comment: jobType.description,
      definitionBody: sfn.DefinitionBody.fromString(definition),
      definitionSubstitutions: Object.fromEntries(
        jobType.tasks.map(({ name }) => [substitutionOf(name), this.#functionOf(name).functionArn]),
      ),
      role,
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, `${id}MachineLogs`, {
          // This prefix keeps the account's one resource policy for log delivery from growing with each machine.
          logGroupName: `/aws/vendedlogs/states/${stateMachineName}`,
          retention: retentionOf(stage),
          removalPolicy: removalOf(stage),
        }),
        level: sfn.LogLevel.ALL,
        // Payloads are users' data.
        includeExecutionData: false,
      },
      removalPolicy: removalOf(stage),
    });
    this.#publish(id, machine);
    return machine;
  }

  /** A version for each definition that was deployed, and the alias by which executions are started. */
  #publish(id: string, machine: sfn.StateMachine): void {
    const version = new sfn.CfnStateMachineVersion(this, `${id}Version`, {
      stateMachineArn: machine.stateMachineArn,
      stateMachineRevisionId: machine.stateMachineRevisionId,
    });
    // An alias can be turned back to an older version, and running executions name theirs.
    version.applyRemovalPolicy(RemovalPolicy.RETAIN);
    new sfn.CfnStateMachineAlias(this, `${id}Alias`, {
      name: liveAlias,
      routingConfiguration: [{ stateMachineVersionArn: version.ref, weight: 100 }],
    });
  }

  /** https://docs.aws.amazon.com/step-functions/latest/dg/iam-policies-eg-dist-map.html */
  #grantMapRuns(role: Role, { type, definition }: RegisteredJobType): void {
    const calls = callsOf(definition, type);
    const own = this.#inputs.messaging.objectsArn(`jobs/${type}/*`);
    const allow = (actions: string[], resources: string[]): void => {
      role.addToPolicy(new PolicyStatement({ actions, resources }));
    };
    if (calls.distributedMap) {
      const name = stateMachineNameOf(type);
      allow(['states:StartExecution'], [this.#statesArn('stateMachine', name)]);
      allow(
        ['states:DescribeExecution', 'states:StopExecution', 'states:RedriveExecution'],
        [this.#statesArn('execution', `${name}/*`)],
      );
    }
    if (calls.readsItems) allow(['s3:GetObject', 's3:GetObjectVersion'], [own]);
    if (calls.writesResults) {
      allow(
        ['s3:PutObject', 's3:GetObject', 's3:ListMultipartUploadParts', 's3:AbortMultipartUpload'],
        [own],
      );
    }
  }

  #functionOf(taskName: string): lambda.Function {
    const found = this.functions.get(taskName);
    if (found === undefined) throw new Error(`the task ${taskName} has no function`);
    return found;
  }

  #statesArn(resource: string, resourceName: string): string {
    return this.formatArn({
      service: 'states',
      resource,
      resourceName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  }
}
