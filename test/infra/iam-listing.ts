import { type Found, type Resolver, resourcesOf, type Template } from './template.ts';

type Statement = {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource?: unknown;
  readonly Principal?: unknown;
  readonly Condition?: unknown;
};

/**
 * Every role of the templates as text, for review: a block for each with who may take it on and, a line each, what it
 * may do on what. Sorted, so that a diff shows a change of permissions and nothing else.
 */
export function iamListing(
  templates: ReadonlyMap<string, Template>,
  resolve: Resolver,
  isListed: (role: string) => boolean,
): string {
  const policies = resourcesOf(templates, 'AWS::IAM::Policy');
  const blocks = resourcesOf(templates, 'AWS::IAM::Role')
    .map((role) => ({ name: nameOf(role), lines: linesOf(role, policies, resolve) }))
    .filter(({ name }) => isListed(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, lines }) => [name, ...lines.map((line) => `  ${line}`)].join('\n'));
  return `${blocks.join('\n\n')}\n`;
}

/** The CDK's id without the hash that it ends with, which changes with construct paths. */
const nameOf = ({ concern, id }: Found): string => `${concern}: ${id.replace(/[0-9A-F]{8}$/, '')}`;

function linesOf(role: Found, policies: readonly Found[], resolve: Resolver): string[] {
  const { concern, properties } = role;
  const own = policies.filter(
    (policy) =>
      policy.concern === concern &&
      JSON.stringify(policy.properties['Roles']).includes(`"${role.id}"`),
  );
  const documents = [
    ...own.map((policy) => policy.properties['PolicyDocument']),
    ...[properties['Policies'] ?? []].flat().map((inline) => Reflect.get(inline, 'PolicyDocument')),
  ];
  const statements = documents.flatMap((document) => statementsOf(resolve(concern, document)));
  const trusted = statementsOf(properties['AssumeRolePolicyDocument']).map(
    (statement) =>
      `trusts ${textOf(statement.Principal)}${conditionOf(resolve(concern, statement.Condition))}`,
  );
  const managed = [properties['ManagedPolicyArns'] ?? []]
    .flat()
    .map((arn) => `has the managed policy ${textOf(resolve(concern, arn))}`);
  return [...new Set([...trusted, ...managed, ...statements.flatMap(permissionLines).sort()])];
}

function permissionLines({ Effect, Action, Resource, Condition }: Statement): string[] {
  const effect = Effect === 'Allow' ? '' : `${Effect} `;
  return [Action]
    .flat()
    .flatMap((action) =>
      [Resource].flat().map((on) => `${effect}${action} on ${textOf(on)}${conditionOf(Condition)}`),
    );
}

const conditionOf = (condition: unknown): string =>
  condition === undefined ? '' : ` if ${JSON.stringify(condition)}`;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** As the CDK writes them: always a list. */
const statementsOf = (document: unknown): readonly Statement[] =>
  (document as { readonly Statement: readonly Statement[] }).Statement;

/** Lines that only one of the texts has, each below the block it stands in: `-` of the first, `+` of the second. */
export function listingDiff(before: string, after: string): string {
  const [old, now] = [linesWithBlocks(before), linesWithBlocks(after)];
  return [
    ...[...old].filter((line) => !now.has(line)).map((line) => `- ${line}`),
    ...[...now].filter((line) => !old.has(line)).map((line) => `+ ${line}`),
  ]
    .sort((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1))
    .join('\n');
}

function linesWithBlocks(text: string): Set<string> {
  const blocks = text.split('\n\n').map((block) => block.trimEnd().split('\n'));
  return new Set(
    blocks.flatMap(([name = '', ...lines]) => lines.map((line) => `${name}: ${line.trim()}`)),
  );
}
