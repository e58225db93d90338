import type { Json } from '../json.ts';

/**
 * A compiled JSONPath in the dialect that Step Functions speaks (Jayway JsonPath), from one of three roots:
 * `$` (the input), `$$` (the context object) or `$name` (a workflow variable).
 * https://docs.aws.amazon.com/step-functions/latest/dg/amazon-states-language-paths.html
 */
export type JsonPath = {
  readonly text: string;
  readonly root: PathRoot;
  readonly steps: readonly Step[];
  /** A definite path gives one value; an indefinite one (wildcard, `..`, filter, slice, union) a list. */
  readonly isDefinite: boolean;
};

export type PathRoot =
  | { readonly kind: 'input' }
  | { readonly kind: 'context' }
  | { readonly kind: 'variable'; readonly name: string };

export type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'indexes'; readonly indexes: readonly number[] }
  | {
      readonly kind: 'slice';
      readonly start?: number;
      readonly end?: number;
      readonly step: number;
    }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'filter'; readonly filter: Filter }
  | { readonly kind: 'descendants'; readonly step: Step }
  | { readonly kind: 'function'; readonly name: PathFunction; readonly argument?: number };

export const pathFunctions = [
  'length',
  'size',
  'min',
  'max',
  'avg',
  'sum',
  'stddev',
  'keys',
  'first',
  'last',
  'index',
] as const;
export type PathFunction = (typeof pathFunctions)[number];

/** The test inside `[?( … )]`. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'exists'; readonly operand: PathOperand }
  | {
      readonly kind: 'compare';
      readonly operator: FilterOperator;
      readonly left: Operand;
      readonly right: Operand;
    };

export type Operand =
  | PathOperand
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'pattern'; readonly matches: (text: string) => boolean };

export type PathOperand =
  | { readonly kind: 'current'; readonly steps: readonly Step[]; readonly isDefinite: boolean }
  | { readonly kind: 'path'; readonly path: JsonPath };

export const filterOperators = [
  '==',
  '!=',
  '<=',
  '>=',
  '<',
  '>',
  '=~',
  'in',
  'nin',
  'subsetof',
  'anyof',
  'noneof',
  'contains',
  'size',
  'empty',
] as const;
export type FilterOperator = (typeof filterOperators)[number];

/** A union of names at the end gives one object with these members, elsewhere a list of their values. */
export function isDefinite(steps: readonly Step[]): boolean {
  return steps.every(
    ({ kind }, index) =>
      kind === 'name' ||
      kind === 'index' ||
      kind === 'function' ||
      (kind === 'names' && index === steps.length - 1),
  );
}
