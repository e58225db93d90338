import jsonata from 'jsonata';
import { partsOfError } from './expression-outcome.ts';

/** Parses an expression; a problem carries JSONata's code and message, `S0207`, `Unexpected end of expression`. */
export function parseExpression(
  text: string,
): { ast: jsonata.ExprNode } | { code: string; problem: string } {
  try {
    return { ast: jsonata(text).ast() };
  } catch (error) {
    if (error instanceof RangeError)
      return { code: 'S0500', problem: 'The expression nests too deep' };
    const { code, message } = partsOfError(error);
    return { code: code ?? 'S0500', problem: message };
  }
}
