import * as fc from 'fast-check';

/** JSON Schema, as far as our own OpenAPI document uses it. */
export type JsonSchema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
};

/** How values are made: what a member of a name is often, and how many of a hundred values are of no schema at all. */
export type Making = {
  readonly known: Readonly<Record<string, readonly unknown[]>>;
  readonly spoiltPercent: number;
};

/** Values of the schema, some of them spoilt, at any depth. */
export const arbitraryOf = (schema: JsonSchema, making: Making): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 100 - making.spoiltPercent, arbitrary: fitting(schema, making) },
    { weight: making.spoiltPercent, arbitrary: anything },
  );

/** A member of an object, or a parameter: one that means something to the server more often than not. */
export const memberOf = (
  name: string,
  schema: JsonSchema,
  making: Making,
): fc.Arbitrary<unknown> => {
  const known = making.known[name];
  const made = arbitraryOf(schema, making);
  if (known === undefined) return made;
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: made },
  );
};

/** Text of all kinds, unpaired surrogates and NUL among it; numbers at the edges; nesting. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }),
  fc.constantFrom<unknown>(
    '\u0000',
    '\ud800',
    '',
    '../..',
    "'; drop table jobs; --",
    2 ** 53,
    -1,
    1e308,
    '__proto__',
  ),
);

function fitting(schema: JsonSchema, making: Making): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined)
    return fc.oneof(...schema.anyOf.map((branch) => arbitraryOf(branch, making)));
  switch (schema.type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer({
        min: Math.ceil(schema.minimum ?? -(2 ** 31)),
        max: Math.floor(Math.min(schema.maximum ?? 2 ** 31, 2 ** 31)),
      });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}, making), {
        minLength: Math.min(schema.minItems ?? 0, 5),
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      });
    case 'object':
      return objectOf(schema, making);
    default:
      return anything;
  }
}

function textOf({
  pattern,
  format,
  minLength = 0,
  maxLength = 40,
}: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (format === 'date')
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ minLength, maxLength: Math.min(maxLength, 300), unit: 'binary' });
}

function objectOf(schema: JsonSchema, making: Making): fc.Arbitrary<unknown> {
  const { properties = {}, patternProperties = {}, required = [] } = schema;
  const members = Object.entries(properties).map(
    ([name, member]): [string, fc.Arbitrary<unknown>] => [name, memberOf(name, member, making)],
  );
  const named = fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
  const free = Object.entries(patternProperties).map(([pattern, member]) =>
    fc.dictionary(fc.stringMatching(new RegExp(pattern)), arbitraryOf(member, making), {
      maxKeys: 3,
    }),
  );
  return fc.tuple(named, ...free).map((parts) => Object.assign({}, ...parts) as unknown);
}
