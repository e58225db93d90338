import { type App, Stack, Validations } from 'aws-cdk-lib';
import { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import type { Stage } from './stages.ts';

type Reason = { readonly id: string; readonly reason: string };

/** Findings of cdk-nag on one construct each, by its path below the stack, and why they stay. */
const findings: readonly (Reason & { readonly path: string; readonly stage?: Stage['name'] })[] = [
  {
    path: 'network/LoadBalancer/Resource',
    id: 'AwsSolutions-EC23',
    reason:
      'The API is public: its load balancer takes TLS from everywhere, and nothing else does.',
  },
  {
    path: 'data/Postgres/Resource',
    id: 'AwsSolutions-RDS11',
    reason:
      'The instance has no public address and two security groups may reach it; another port would hide nothing.',
  },
  {
    path: 'data/Postgres/Resource',
    id: 'AwsSolutions-RDS3',
    stage: 'dev',
    reason: 'dev may be away while its zone is; prod is Multi-AZ.',
  },
  {
    path: 'data/Postgres/Resource',
    id: 'AwsSolutions-RDS10',
    stage: 'dev',
    reason: 'dev is made to be thrown away; prod is protected.',
  },
  {
    path: 'data/Settings/Resource',
    id: 'AwsSolutions-SMG4',
    reason:
      'It holds secrets that third parties gave us, which only they can change; docs/deploy.md says how they are rotated. The database password is rotated by RDS.',
  },
  ...['Api', 'Worker'].map((service) => ({
    path: `services/${service}Task/Resource`,
    id: 'AwsSolutions-ECS2',
    reason:
      'The variables are addresses and limits, none is secret: the process reads its secrets from Secrets Manager.',
  })),
];

/** Why a role may do something on more than one named resource: by what it may do, and on what. */
const wildcards: readonly {
  readonly actions: RegExp;
  readonly on: RegExp;
  readonly reason: string;
}[] = [
  {
    actions: /^ec2:(\w+NetworkInterfaces?|DescribeSubnets|(Una|A)ssignPrivateIpAddresses)$/,
    on: /^\*$/,
    reason:
      'Lambda makes its network interfaces with the function’s role; these actions know no resources.',
  },
  {
    actions: /^ecr:GetAuthorizationToken$/,
    on: /^\*$/,
    reason: 'Fargate pulls the image with it; the action knows no resources.',
  },
  {
    actions: /^xray:/,
    on: /^\*$/,
    reason: 'X-Ray’s actions know no resources.',
  },
  {
    actions:
      /^logs:(\w+LogDelivery|ListLogDeliveries|PutResourcePolicy|Describe(ResourcePolicies|LogGroups))$/,
    on: /^\*$/,
    reason:
      'Step Functions sets up the delivery of its logs with the machine’s role; these actions know no resources.',
  },
  {
    actions: /^states:(ListStateMachines|SendTaskSuccess)$/,
    on: /^\*$/,
    reason:
      'The circuit’s probe lists one name, and a task token is its own permission; these actions know no resources.',
  },
  {
    actions: /^events:ListReplays$/,
    on: /^\*$/,
    reason: 'The action knows no resources.',
  },
  {
    actions: /^events:(Start|Cancel)Replay$/,
    on: /:replay\/\*$/,
    reason: 'Replays are named when they are started.',
  },
  {
    actions: /^states:\w+$/,
    on: /:(stateMachine|execution|express|mapRun):pawl-[\w-]*\*?(\/?\*)?(:\*)?$/,
    reason:
      'Executions are made at run time, and job types with later deployments; all are Pawl’s own by name.',
  },
  {
    actions: /^s3:(Get|Put)Object(Version)?$|^s3:(List|Abort)Multipart\w+$/,
    on: /:s3:::pawl-(payloads|archive)-[^/]+\/(payloads|jobs|jobs\/[a-z0-9-]+)\/\*$/,
    reason: 'Objects come at run time, under the prefix that this role works with.',
  },
  {
    actions: /^lambda:InvokeFunction$/,
    on: /:\*$/,
    reason: 'The trigger calls the version of the migration function that it was made for.',
  },
];

/** Says why each finding of cdk-nag stays. What nobody has given a reason for fails the synthesis. */
export function acknowledgeFindings(app: App, stage: Stage): void {
  for (const construct of app.node.findAll()) {
    const path = construct.node.path.replace(`pawl-${stage.name}-`, '');
    for (const finding of findings) {
      const applies = finding.stage === undefined || finding.stage === stage.name;
      if (applies && finding.path === path) Validations.of(construct).acknowledge(named(finding));
    }
    if (construct instanceof CfnPolicy) {
      for (const reason of wildcardReasons(construct)) {
        Validations.of(construct).acknowledge(named(reason));
      }
    }
  }
}

/** The rule's name as the pack reports it. */
const named = ({ id, reason }: Reason): Reason => ({ id: `AwsSolutions::${id}`, reason });

type Statement = { readonly Action: string | string[]; readonly Resource: unknown };

function wildcardReasons(policy: CfnPolicy): Reason[] {
  const document: { Statement: Statement[] } = Stack.of(policy).resolve(policy.policyDocument);
  return document.Statement.flatMap(({ Action, Resource }) => {
    const actions = [Action].flat();
    return [Resource]
      .flat()
      .map(flatten)
      .filter((resource) => resource.includes('*'))
      .flatMap((resource) => {
        const reasons = reasonsFor(actions, resource);
        return reasons === undefined
          ? []
          : [{ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason: reasons.join(' ') }];
      });
  });
}

/** Undefined where there is none for one of the actions. */
function reasonsFor(actions: readonly string[], resource: string): string[] | undefined {
  const known = actions.map(
    (action) =>
      wildcards.find((entry) => entry.on.test(resource) && entry.actions.test(action))?.reason,
  );
  const reasons = known.filter((reason) => reason !== undefined);
  return reasons.length === actions.length ? [...new Set(reasons)] : undefined;
}

/** A reference as cdk-nag writes it in a finding: `arn:aws:states:us-east-1:<AWS::AccountId>:…`. */
function flatten(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  if ('Ref' in value) return `<${String(value.Ref)}>`;
  if ('Fn::GetAtt' in value && Array.isArray(value['Fn::GetAtt'])) {
    return `<${value['Fn::GetAtt'].join('.')}>`;
  }
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) {
    const [delimiter, items]: unknown[] = value['Fn::Join'];
    return Array.isArray(items) ? items.map(flatten).join(String(delimiter)) : '';
  }
  return JSON.stringify(value);
}
