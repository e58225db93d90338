import { RE2JS } from 're2js';

/** The longest pattern that is compiled; RE2's program grows with the pattern and its repetitions. */
const maxPatternLength = 1_000;

type Compiled = { readonly matches: (text: string) => boolean };

/**
 * Compiles a regular expression that is matched in time linear in the text (RE2), so that no pattern and
 * text of a user's can hold up the process. What RE2 cannot do (lookaround, backreferences) is a problem.
 */
export function compilePattern(pattern: string, flags: string): Compiled | { problem: string } {
  try {
    const compiled = compileLinear(pattern, flags);
    return { matches: (text) => compiled.matches(text) };
  } catch (error) {
    return { problem: `the pattern /${pattern}/ cannot be used: ${describe(error)}` };
  }
}

/** Throws what RE2 throws on patterns it cannot do. */
export function compileLinear(pattern: string, flags: string): RE2JS {
  if (pattern.length > maxPatternLength) {
    throw new Error(`it is longer than ${maxPatternLength} characters`);
  }
  let bits = 0;
  if (flags.includes('i')) bits |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes('m')) bits |= RE2JS.MULTILINE;
  if (flags.includes('s')) bits |= RE2JS.DOTALL;
  return RE2JS.compile(RE2JS.translateRegExp(pattern), bits);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
