import type { Json, JsonObject } from '../json.ts';
import type { Scope } from '../scope.ts';
import { analyseExpression, type Analysis } from './analyse-expression.ts';
import { failed, type Bindings, type Outcome } from './expression-outcome.ts';
import { linearRegExp } from './linear-regexp.ts';
import { parseExpression } from './parse-expression.ts';
import { makeRunnable, timedOut, type RunnableExpression } from './run-expression.ts';
import { evaluateApart } from './evaluation-process.ts';

/** A JSONata expression of a definition; `evaluate` never throws and is bounded in time and memory. */
export type CompiledExpression = {
  readonly text: string;
  /** The workflow variables it refers to, without `$`; not those it binds itself. */
  readonly variables: () => readonly string[];
  readonly evaluate: (scope: Scope) => Promise<Outcome>;
};

/** An evaluation that holds up this thread for so long is done again in another process. */
const inThread = { timeoutMs: 50, RegexEngine: linearRegExp, isEveryTextBounded: false };

/**
 * The expression is parsed when first used, and kept; a syntax error is the outcome of each evaluation.
 * It is evaluated in this thread when its cost can be told from its text, otherwise in another process.
 */
export function compileExpression(text: string): CompiledExpression {
  let analysis: Analysis | { problem: string } | undefined;
  let runnable: RunnableExpression | undefined;
  const analysed = (): Analysis | { problem: string } => (analysis ??= analyse(text));
  return {
    text,
    variables: () => {
      const found = analysed();
      return 'problem' in found ? [] : found.variables;
    },
    evaluate: async (scope) => {
      const found = analysed();
      if ('problem' in found) return failed(found.problem);
      const bindings = bind(scope, found.variables);
      if (found.isRisky) return evaluateApart(text, bindings);
      runnable ??= makeRunnable(text, inThread);
      const outcome = await runnable(bindings);
      return outcome === timedOut ? evaluateApart(text, bindings) : outcome;
    },
  };
}

function analyse(text: string): Analysis | { problem: string } {
  const parsed = parseExpression(text);
  return 'problem' in parsed
    ? { problem: `${parsed.code}: ${parsed.problem}` }
    : analyseExpression(parsed.ast);
}

/** Only the variables referred to: they may have to travel to another process. */
function bind(scope: Scope, names: readonly string[]): Bindings {
  const bindings: Record<string, Json> = { states: statesOf(scope) };
  for (const name of names) {
    const value = Object.hasOwn(scope.variables, name) ? scope.variables[name] : undefined;
    if (value !== undefined) bindings[name] = value;
  }
  return bindings;
}

/** `$states`: https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html */
function statesOf(scope: Scope): JsonObject {
  return {
    input: scope.input,
    context: scope.context(),
    ...(scope.result === undefined ? {} : { result: scope.result }),
    ...(scope.errorOutput === undefined ? {} : { errorOutput: scope.errorOutput }),
  };
}
