import { runSimulation } from '@cloud-copilot/iam-simulate';
import { accountId } from './account.ts';
import { type Found, type Resolver, resourcesOf, type Template } from './template.ts';

export type Statement = {
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
};
export type Policy = { readonly name: string; readonly policy: { Statement: Statement[] } };

/** The policies of the roles by their components: `api`, `worker`, functions and state machines by name. */
export function policiesOf(
  templates: ReadonlyMap<string, Template>,
  resolve: Resolver,
): ReadonlyMap<string, Policy[]> {
  const ofRole = (concern: string, role: unknown): Policy[] =>
    resourcesOf(templates, 'AWS::IAM::Policy')
      .filter((found) => found.concern === concern)
      .map((found) => resolve(concern, found.properties))
      .filter((properties) => rolesOf(properties).includes(roleName(resolve(concern, role))))
      .map((properties) => toPolicy(properties));
  const of = (type: string, name: (found: Found) => string, role: string): [string, Policy[]][] =>
    resourcesOf(templates, type).map((found) => [
      name(found),
      ofRole(found.concern, found.properties[role]),
    ]);
  return new Map([
    ...of('AWS::ECS::TaskDefinition', named('Family'), 'TaskRoleArn'),
    ...of('AWS::Lambda::Function', named('FunctionName'), 'Role').filter(
      ([name]) => name !== 'undefined', // the CDK's own
    ),
    ...of(
      'AWS::StepFunctions::StateMachine',
      (found) => `machine ${named('StateMachineName')(found)}`,
      'RoleArn',
    ),
  ]);
}

const named =
  (property: string) =>
  ({ properties }: Found): string =>
    String(properties[property]).replace(/^pawl-/, '');

const rolesOf = (properties: unknown): readonly unknown[] =>
  typeof properties === 'object' && properties !== null && 'Roles' in properties
    ? [properties.Roles].flat()
    : [];

const roleName = (arn: unknown): string => String(arn).split('/').at(-1) ?? '';

const toPolicy = (properties: unknown): Policy => {
  const { PolicyName, PolicyDocument } = properties as {
    PolicyName: string;
    PolicyDocument: { Statement: Statement[] };
  };
  return { name: PolicyName, policy: PolicyDocument };
};

export type Question = {
  readonly action: string;
  readonly resource: string;
  readonly context?: Readonly<Record<string, string | string[]>>;
};

/** Whether IAM would allow it. Throws for an action or resource that IAM does not know. */
export async function isAllowed(
  policies: readonly Policy[],
  { action, resource, context = {} }: Question,
): Promise<boolean> {
  const result = await runSimulation(
    {
      request: {
        action,
        resource: { resource, accountId },
        principal: `arn:aws:iam::${accountId}:role/component`,
        contextVariables: { ...context },
      },
      identityPolicies: policies.map(({ name, policy }) => ({ name, policy })),
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      resourcePolicy: undefined,
    },
    {},
  );
  if (result.resultType === 'error') {
    throw new Error(`${action} on ${resource}: ${JSON.stringify(result.errors)}`);
  }
  if (result.resultType !== 'single')
    throw new Error(`${action} on ${resource} is several questions`);
  return result.overallResult === 'Allowed';
}

/** Every action that a component may do, by its policies' text. */
export const actionsOf = (policies: readonly Policy[]): Set<string> =>
  new Set(policies.flatMap(({ policy }) => policy.Statement.flatMap(({ Action }) => Action)));
