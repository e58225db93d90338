// Part of `npm run openapi`: client/api-types.ts, the types of the operations.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly description?: string;
};
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
};
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The text of client/api-types.ts for an OpenAPI document of ours, as the formatter leaves it. */
export function clientTypes(document: Document): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-client-types-'));
  try {
    const file = join(folder, 'api-types.ts');
    writeFileSync(file, unformatted(document));
    spawnSync('node_modules/.bin/oxfmt', ['-c', '.oxfmtrc.json', file]);
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function unformatted(document: Document): string {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
  );
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationText(path, method, operation)),
  );
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `  ${operationId}: ['${method.toUpperCase()}', '${path}'],\n`,
    ),
  );
  return [
    '// Written by "npm run openapi" from docs/openapi.json; not to be edited.\n',
    ...schemas,
    `/** What each call takes and gives. */\nexport type Operations = {\n${operations.join('')}};\n`,
    `/** Where each call goes. */\nexport const routes = {\n${routes.join('')}} as const satisfies Record<keyof Operations, readonly [method: string, path: string]>;\n`,
  ].join('\n');
}

function operationText(path: string, method: string, operation: Operation): string {
  const { operationId, summary, parameters = [], requestBody, responses } = operation;
  const parts = (['path', 'query', 'header'] as const).map((place) => {
    const members = parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required = false, schema }) => `${member(name, required)}: ${typeOf(schema)}`);
    return members.length === 0 ? '' : `    ${place}: { ${members.join('; ')} };\n`;
  });
  const body = requestBody?.content['application/json']?.schema;
  const bodyText =
    body === undefined
      ? ''
      : `    body${requestBody?.required === false ? '?' : ''}: ${typeOf(body)};\n`;
  return (
    `  /** ${method.toUpperCase()} ${path}: ${summary} */\n  ${operationId}: {\n` +
    `${parts.join('')}${bodyText}    answer: ${answerType(responses)};\n  };\n`
  );
}

/** The body of a successful answer; null where there is none. */
function answerType(responses: Operation['responses']): string {
  const [success] = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const schema = success?.[1].content?.['application/json']?.schema;
  return schema === undefined ? 'null' : typeOf(schema);
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' | ');
  if (schema.allOf !== undefined)
    return schema.allOf.map((part) => `(${typeOf(part)})`).join(' & ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `(${typeOf(schema.items ?? {})})[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

function objectType(schema: Schema): string {
  const { properties = {}, patternProperties, additionalProperties, required = [] } = schema;
  const members = Object.entries(properties).map(
    ([name, type]) =>
      `${comment(type.description)}${member(name, required.includes(name))}: ${typeOf(type)};`,
  );
  const [free] = Object.values(patternProperties ?? {});
  if (free !== undefined) members.push(`[name: string]: ${typeOf(free)};`);
  else if (typeof additionalProperties === 'object') {
    members.push(`[name: string]: ${typeOf(additionalProperties)};`);
  } else if (additionalProperties === true) members.push('[name: string]: unknown;');
  return members.length === 0 ? 'Record<string, unknown>' : `{\n${members.join('\n')}\n}`;
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
const member = (name: string, required: boolean): string =>
  `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`}${required ? '' : '?'}`;
const comment = (text: string | undefined): string =>
  text === undefined ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`;
