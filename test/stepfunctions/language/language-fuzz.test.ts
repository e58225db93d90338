import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { compileJsonataTemplate } from '../../../local/stepfunctions/language/jsonata-template.ts';
import { compileJsonPathValue } from '../../../local/stepfunctions/language/jsonpath-template.ts';
import { PathSyntaxError } from '../../../local/stepfunctions/language/jsonpath/path-reader.ts';
import type { Json } from '../../../local/stepfunctions/language/json.ts';
import { StatesError } from '../../../local/stepfunctions/language/states-error.ts';
import { intrinsicArity } from '../../../local/stepfunctions/language/intrinsics/intrinsic-names.ts';
import { scopeOf } from './scope-of.ts';

/** Nothing here takes longer; a property that hangs would. */
const timeoutMs = 120_000;

function isDeclared(error: unknown): boolean {
  return error instanceof StatesError || error instanceof PathSyntaxError;
}

/** Whatever a text that is taken for a path or call evaluates to, it is JSON or a declared error. */
async function check(text: string, input: Json): Promise<void> {
  try {
    const value = await compileJsonPathValue(text, 'x.$').evaluate(scopeOf(input), input);
    assert.notEqual(JSON.stringify(value), undefined, `${text} gave no JSON`);
  } catch (error) {
    assert.ok(isDeclared(error), `${text} on ${JSON.stringify(input)}: ${String(error)}`);
  }
}

const json = fc.jsonValue({ maxDepth: 3 }).map((value): Json => JSON.parse(JSON.stringify(value)));

const pathPart = fc.oneof(
  fc.constantFrom(
    '.a',
    '.b',
    '[0]',
    '[-1]',
    '[*]',
    '.*',
    '..',
    '..a',
    '[1:]',
    '[:2]',
    '[0,1]',
    "['a','b']",
    '["a"]',
  ),
  fc.constantFrom(
    '[?(@.a)]',
    '[?(@.a > 1)]',
    '[?(@ == $.a)]',
    '[?(@.a =~ /a+/)]',
    '[?(!@.b || @.a in [1])]',
    '[?(',
  ),
  fc.constantFrom(
    '.length()',
    '.sum()',
    '.keys()',
    '.min()',
    '.first()',
    '.index(1)',
    '.x()',
    '[',
    ']',
    "'",
    '\\',
    ' ',
  ),
);
const path = fc
  .tuple(fc.constantFrom('$', '$$', '$v', '@', ''), fc.array(pathPart, { maxLength: 5 }))
  .map(([root, parts]) => root + parts.join(''));

void test(
  'any path on any input gives JSON or a declared error',
  { timeout: timeoutMs },
  async () => {
    await fc.assert(fc.asyncProperty(path, json, check), { numRuns: 5_000 });
    await fc.assert(
      fc.asyncProperty(
        fc.string().map((text) => `$${text}`),
        json,
        check,
      ),
      { numRuns: 2_000 },
    );
  },
);

const literal = fc.oneof(
  fc.constantFrom(
    "''",
    "'a'",
    "'{}'",
    "'\\{'",
    "'\\\\'",
    "'SHA-256'",
    'null',
    'true',
    'false',
    '$',
    '$.a',
    '$v',
  ),
  fc.integer({ min: -3_000, max: 3_000 }).map(String),
  fc.double().map(String),
);
const { call } = fc.letrec<{ call: string; argument: string }>((tie) => ({
  argument: fc.oneof({ maxDepth: 3 }, literal, tie('call')),
  call: fc
    .tuple(
      fc.constantFrom(...Object.keys(intrinsicArity), 'Nope'),
      fc.array(tie('argument'), { maxLength: 3 }),
    )
    .map(([name, list]) => `States.${name}(${list.join(', ')})`),
}));

void test(
  'any intrinsic call on any input gives JSON or a declared error',
  { timeout: timeoutMs },
  async () => {
    await fc.assert(fc.asyncProperty(call, json, check), { numRuns: 8_000 });
  },
);

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      '$states.input',
      '$states.input.a',
      '$v',
      '1',
      '"x"',
      'null',
      '[1..3]',
      '{}',
      '$',
      '$now()',
      'a',
    ),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '&', '=', '<', 'in', 'and', '~>', '.', '*', '/'),
        tie('expression'),
      )
      .map((parts) => parts.join(' ')),
    fc
      .tuple(
        fc.constantFrom(
          'sum',
          'string',
          'count',
          'keys',
          'parse',
          'range',
          'partition',
          'hash',
          'join',
          'pad',
          'sort',
          'spread',
          'number',
          'random',
        ),
        fc.array(tie('expression'), { maxLength: 3 }),
      )
      .map(([name, list]) => `$${name}(${list.join(', ')})`),
    tie('expression').map((each) => `(${each})[0]`),
    tie('expression').map((each) => `{"k": ${each}}`),
    tie('expression').map((each) => `[${each}]`),
    tie('expression').map((each) => `$map(${each}, $string)`),
  ),
}));

void test(
  'any JSONata expression gives JSON or a declared error',
  { timeout: timeoutMs },
  async () => {
    const checkExpression = async (text: string, input: Json): Promise<void> => {
      try {
        const scope = scopeOf(input, { variables: { v: [1, { a: 'b' }] } });
        const value = await compileJsonataTemplate(`{% ${text} %}`, 'Output').evaluate(
          scope,
          input,
        );
        assert.deepEqual(JSON.parse(JSON.stringify(value)), value, `${text} gave no plain JSON`);
      } catch (error) {
        assert.ok(
          error instanceof StatesError,
          `${text} on ${JSON.stringify(input)}: ${String(error)}`,
        );
      }
    };
    await fc.assert(fc.asyncProperty(expression, json, checkExpression), { numRuns: 4_000 });
    await fc.assert(fc.asyncProperty(fc.string(), json, checkExpression), { numRuns: 1_500 });
  },
);
