import { analyseExpression } from '../language/jsonata/analyse-expression.ts';
import { parseExpression } from '../language/jsonata/parse-expression.ts';
import { expressionOf } from '../language/jsonata-template.ts';
import { report, type Place } from './place.ts';

/** The members of `$states` in a field: `result` and `errorOutput` exist only in some. */
const always = ['input', 'context'];

/** Parses an expression and refuses what Step Functions does not give it to read. */
export function checkExpression(
  value: string,
  place: Place,
  offered: readonly string[] = [],
): void {
  const parsed = parseExpression(expressionOf(value));
  if ('problem' in parsed) {
    report(place, parsed.problem, 'INVALID_JSONATA_EXPRESSION');
    return;
  }
  const { topLevelNames, usesRoot, statesMembers } = analyseExpression(parsed.ast);
  const refuse = (message: string): void =>
    report(place, message, 'UNSUPPORTED_JSONATA_EXPRESSION');
  for (const name of topLevelNames) {
    refuse(`Reference to '${name}' at the top level is not supported.`);
  }
  if (usesRoot) refuse("Reference to '$$' is not supported.");
  for (const member of ['result', 'errorOutput']) {
    if (statesMembers.includes(member) && ![...always, ...offered].includes(member)) {
      refuse(`Reference to '$states.${member}' is not supported in this field.`);
    }
  }
}
