import { isComparisonOperator } from '../language/compare-values.ts';
import { parseJsonPath } from '../language/jsonpath/parse-jsonpath.ts';
import type { JsonPath } from '../language/jsonpath/jsonpath.ts';
import type { ChoiceRule, ChoiceState, Condition } from './ast.ts';
import { optional } from './optional.ts';
import { commonFields, inputOutput } from './parse-shared-fields.ts';
import {
  compile,
  field,
  problem,
  readObject,
  readObjects,
  readOptionalText,
  readTemplate,
  readText,
  type Source,
} from './read-fields.ts';

export function parseChoiceState(name: string, source: Source): ChoiceState {
  return {
    type: 'Choice',
    ...commonFields(name, source),
    ...inputOutput(source),
    choices: readObjects(source, 'Choices').map(parseRule),
    ...optional('default', readOptionalText(source, 'Default')),
    ...optional('assign', readTemplate(source, 'Assign')),
  };
}

function parseRule(source: Source): ChoiceRule {
  return {
    condition: parseCondition(source),
    next: readText(source, 'Next'),
    ...optional('output', readTemplate(source, 'Output')),
    ...optional('assign', readTemplate(source, 'Assign')),
  };
}

function parseCondition(source: Source): Condition {
  if (source.queryLanguage === 'JSONata') {
    const template = readTemplate(source, 'Condition');
    if (!template) throw problem(source, 'Condition', "The field 'Condition' is required");
    return { kind: 'expression', field: `${source.prefix}Condition`, template };
  }
  const inner = readObject(source, 'Not');
  if (inner) return { kind: 'not', condition: parseCondition(inner) };
  if (field(source, 'And') !== undefined) {
    return { kind: 'and', conditions: readObjects(source, 'And').map(parseCondition) };
  }
  if (field(source, 'Or') !== undefined) {
    return { kind: 'or', conditions: readObjects(source, 'Or').map(parseCondition) };
  }
  return parseComparison(source);
}

function parseComparison(source: Source): Condition {
  const variable = readVariable(source, 'Variable');
  const expected = field(source, 'IsPresent');
  if (expected !== undefined) return { kind: 'presence', variable, expected: expected === true };
  for (const [key, value] of Object.entries(source.fields)) {
    if (isComparisonOperator(key)) {
      return { kind: 'comparison', variable, operator: key, operand: { kind: 'value', value } };
    }
    const operator = key.endsWith('Path') ? key.slice(0, -'Path'.length) : '';
    if (isComparisonOperator(operator)) {
      const path = readVariable(source, key);
      return { kind: 'comparison', variable, operator, operand: { kind: 'path', path } };
    }
  }
  throw problem(source, 'Variable', 'The rule has no comparison operator');
}

function readVariable(source: Source, name: string): JsonPath {
  const text = readText(source, name);
  return compile(source, name, () => parseJsonPath(text));
}
