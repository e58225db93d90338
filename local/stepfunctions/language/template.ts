import type { Awaitable, Json } from './json.ts';
import type { Scope } from './scope.ts';

/**
 * A compiled value of a definition: constants, with paths and intrinsic calls (JSONPath) or `{% … %}`
 * expressions (JSONata) in them.
 */
export type Template = {
  readonly queryLanguage: 'JSONPath' | 'JSONata';
  /** The value as written. */
  readonly source: Json;
  /** Nothing in it depends on the scope: `evaluate` gives `source`. */
  readonly isConstant: boolean;
  /** The variables it refers to. */
  readonly variables: () => readonly string[];
  /** `input` is what `$` stands for in a JSONPath template. Throws or rejects with StatesError. */
  readonly evaluate: (scope: Scope, input: Json) => Awaitable<Json>;
};

export function constantTemplate(queryLanguage: 'JSONPath' | 'JSONata', source: Json): Template {
  return { queryLanguage, source, isConstant: true, variables: () => [], evaluate: () => source };
}
