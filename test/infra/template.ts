/** A synthesised template, as far as tests read it. */
export type Template = {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
};

export type Resource = {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
};

export type Found = {
  readonly concern: string;
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
};

/** Every resource of a type, of all stacks. */
export const resourcesOf = (templates: ReadonlyMap<string, Template>, type: string): Found[] =>
  [...templates].flatMap(([concern, { Resources }]) =>
    Object.entries(Resources)
      .filter(([, resource]) => resource.Type === type)
      .map(([id, resource]) => ({ concern, id, properties: resource.Properties ?? {} })),
  );

/** Turns references into the values that CloudFormation would put there. */
export type Resolver = (concern: string, value: unknown) => unknown;

export type Account = {
  readonly accountId: string;
  readonly region: string;
  /** What `Ref` and `Fn::GetAtt` give for a resource; undefined where it is not known. */
  readonly attribute: (found: Found & { type: string }, name: string) => string | undefined;
  readonly parameters: Readonly<Record<string, string>>;
};

/** Throws where a reference leads nowhere: as CloudFormation would. */
export function createResolver(
  templates: ReadonlyMap<string, Template>,
  account: Account,
): Resolver {
  const templateOf = (concern: string): Template => {
    const template = templates.get(concern);
    if (template === undefined) throw new Error(`there is no stack ${concern}`);
    return template;
  };
  const attributeOf = (concern: string, id: string, name: string): string => {
    const resource = templateOf(concern).Resources[id];
    if (resource === undefined) throw new Error(`${concern} refers to ${id}, which is not there`);
    const found = { concern, id, type: resource.Type };
    const properties = resource.Properties ?? {};
    const value = account.attribute({ ...found, properties }, name);
    if (value === undefined) throw new Error(`${name} of ${resource.Type} ${id} is not known here`);
    return value;
  };
  const reference = (concern: string, name: string): string => {
    const pseudo: Record<string, string> = {
      'AWS::AccountId': account.accountId,
      'AWS::Region': account.region,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
    };
    const fallback = templateOf(concern).Parameters?.[name]?.Default;
    const known = pseudo[name] ?? account.parameters[name];
    return known ?? (typeof fallback === 'string' ? fallback : attributeOf(concern, name, 'Ref'));
  };
  const resolve: Resolver = (concern, value) => {
    if (Array.isArray(value)) return value.map((item) => resolve(concern, item));
    if (typeof value !== 'object' || value === null) return value;
    const [entry, ...more] = Object.entries(value);
    if (entry === undefined || more.length > 0 || !/^(Ref$|Fn::)/.test(entry[0])) {
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, resolve(concern, member)]),
      );
    }
    const [operation, argument]: [string, unknown] = entry;
    switch (operation) {
      case 'Ref':
        return reference(concern, String(argument));
      case 'Fn::GetAtt': {
        const [id, name] = argument as [string, string];
        return attributeOf(concern, id, name);
      }
      case 'Fn::Join': {
        const [delimiter, items] = argument as [string, unknown[]];
        return items.map((item) => String(resolve(concern, item))).join(delimiter);
      }
      case 'Fn::Split': {
        const [delimiter, text] = argument as [string, unknown];
        return String(resolve(concern, text)).split(delimiter);
      }
      case 'Fn::Select': {
        const [index, list] = argument as [number | string, unknown];
        const items = resolve(concern, list);
        return Array.isArray(items) ? items[Number(index)] : undefined;
      }
      case 'Fn::Sub':
        return String(argument).replaceAll(/\$\{([^}]+)\}/g, (_, name: string) =>
          reference(concern, name),
        );
      case 'Fn::GetStackOutput': {
        const { StackName, OutputName } = argument as { StackName: string; OutputName: string };
        const other = StackName.replace(/^pawl-\w+-/, '');
        const output = templateOf(other).Outputs?.[OutputName];
        if (output === undefined) throw new Error(`${StackName} has no output ${OutputName}`);
        return resolve(other, output.Value);
      }
      default:
        throw new Error(`${concern} uses ${operation}, which is not resolved here`);
    }
  };
  return resolve;
}
