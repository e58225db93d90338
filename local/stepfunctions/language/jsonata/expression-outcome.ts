import type { Json } from '../json.ts';

/** What an evaluation came to; `problem` is how AWS's cause goes on after naming expression and field. */
export type Outcome = { readonly value: Json } | { readonly problem: string };

/** What an expression may refer to: `states`, and the workflow variables by name. */
export type Bindings = Readonly<Record<string, Json>>;

export const returnedNothing: Outcome = { problem: 'returned nothing (undefined).' };
export const unsupportedType: Outcome = { problem: 'returned an unsupported result type.' };

const threw = 'threw an error during evaluation';

/** AWS's own three bounds have no JSONata code, and follow a colon. */
export const outOfMemory: Outcome = {
  problem: `${threw}: Expression evaluation memory limit exceeded: Check for excessive memory usage`,
};
export const outOfTime: Outcome = {
  problem: `${threw}: Expression evaluation timeout: Check for infinite loop`,
};
export const tooDeep: Outcome = {
  problem: `${threw}: Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive`,
};

/** An error with a JSONata code follows a full stop: `. T1006: Attempted to invoke a non-function`. */
export function failed(description: string): Outcome {
  return { problem: `${threw}. ${description}` };
}

/** JSONata throws plain objects `{code, message}`. Gives `T1006: Attempted to invoke a non-function`. */
export function describeJsonataError(error: unknown): string {
  const { code, message } = partsOfError(error);
  return code === undefined ? message : `${code}: ${message}`;
}

export function partsOfError(error: unknown): { code?: string; message: string } {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const message =
    'message' in error && typeof error.message === 'string' ? error.message : 'Unknown error';
  return code === undefined ? { message } : { code, message };
}
