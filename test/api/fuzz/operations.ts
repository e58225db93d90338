import { Compile, type Validator } from 'typebox/compile';
import type { JsonSchema } from './arbitrary-of-schema.ts';

type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: JsonSchema;
};
type Response = { readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>> };
type Body = { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
export type Operation = {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: JsonSchema | undefined;
  /** It needs no key. */
  readonly isOpen: boolean;
  /** What an answer of a status has to fit; undefined where the document has no such status. */
  responseCheck(status: number): Validator | 'no-json' | undefined;
};

type Document = {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly parameters?: readonly Parameter[];
            readonly requestBody?: Body;
            readonly security?: readonly unknown[];
            readonly responses: Readonly<Record<string, Response>>;
          }
        >
      >
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
};

/** The operations of an OpenAPI document, references resolved. */
export function operationsOf(source: string): readonly Operation[] {
  const { components } = JSON.parse(source) as Document;
  // Our schemas do not refer to themselves, so a reference can be replaced by what it names.
  const resolved = JSON.parse(source, (_key, value: unknown) => {
    const ref =
      typeof value === 'object' && value !== null && '$ref' in value ? value.$ref : undefined;
    return typeof ref === 'string' ? components.schemas[ref.split('/').at(-1) ?? ''] : value;
  }) as Document;
  return Object.entries(resolved.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Operation => {
      const checks = new Map<string, Validator | 'no-json'>();
      for (const [status, response] of Object.entries(operation.responses)) {
        const [media, content] = Object.entries(response.content ?? {})[0] ?? [];
        const isJson = media?.includes('json') === true && content !== undefined;
        checks.set(status, isJson ? Compile(content.schema) : 'no-json');
      }
      return {
        operationId: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        isOpen: operation.security?.length === 0,
        body: operation.requestBody?.content['application/json']?.schema,
        responseCheck: (status) =>
          checks.get(String(status)) ?? checks.get(`${String(status)[0]}XX`),
      };
    }),
  );
}
