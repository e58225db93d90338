import { isComparisonOperator } from '../language/compare-values.ts';
import { getOwn, type Json, type JsonObject } from '../language/json.ts';
import { assign } from './check-assign.ts';
import { checkLanguage } from './check-language.ts';
import { template } from './check-template.ts';
import { boolean, path, singlePath, target, text, timestamp } from './checks.ts';
import { checkExpression } from './check-expression.ts';
import { isExpression } from '../language/jsonata-template.ts';
import {
  at,
  checkFields,
  expectArray,
  expectObject,
  report,
  type Check,
  type Place,
} from './place.ts';

const ruleFields: Record<string, Check> = {
  Comment: text,
  Next: target,
  Output: template(),
  Assign: assign(),
};

/** How deep And, Or and Not may nest: a definition of a megabyte must not exhaust the stack. */
const maxDepth = 100;

/** Choices: a non-empty list of rules, each with a test and Next. */
export const choices: Check = (value, place) => {
  for (const [index, each] of (expectArray(value, place) ?? []).entries()) {
    const here = { ...place, location: `${place.location}[${index}]` };
    const rule = expectObject(each, here);
    if (rule) checkRule(rule, here);
  }
};

function checkRule(rule: JsonObject, place: Place): void {
  checkLanguage(rule, place);
  checkFields(rule, ruleFields, place);
  const isJsonata = place.queryLanguage === 'JSONata';
  const needed = isJsonata ? ['Condition', 'Next'] : ['Next'];
  const missing = needed.filter((name) => !Object.hasOwn(rule, name));
  if (missing.length > 0) report(place, `These fields are required: [${missing.join(', ')}]`);
  const { Comment: _comment, Next: _next, Assign: _assign, Output: _output, ...test } = rule;
  if (isJsonata) checkCondition(test, place);
  else checkTest(test, place, 0);
}

function checkCondition(test: JsonObject, place: Place): void {
  for (const [name, value] of Object.entries(test)) {
    if (name === 'Condition') checkConditionValue(value, at(place, name));
    else if (name !== 'Variable') report(place, `Field '${name}' is not supported`);
  }
}

function checkConditionValue(value: Json, place: Place): void {
  if (isExpression(value)) checkExpression(value, place);
  else if (typeof value !== 'boolean') {
    report(place, 'Value should be a JSONata expression or a boolean');
  }
}

function checkTest(test: JsonObject, place: Place, depth: number): void {
  if (depth > maxDepth) {
    report(place, `And, Or and Not may nest ${maxDepth} deep`, 'TOO_DEEPLY_NESTED');
    return;
  }
  const combined = ['And', 'Or', 'Not'].filter((name) => Object.hasOwn(test, name));
  const [name] = combined;
  if (name === undefined) {
    checkComparison(test, place);
    return;
  }
  if (Object.keys(test).length > 1) {
    report(
      place,
      `'${name}' cannot be combined with: [${Object.keys(test)
        .filter((each) => each !== name)
        .join(', ')}]`,
    );
  }
  checkOperands(name, getOwn(test, name) ?? null, at(place, name), depth);
}

function checkOperands(name: string, value: Json, place: Place, depth: number): void {
  if (name === 'Not') {
    const inner = expectObject(value, place);
    if (inner) checkInner(inner, place, depth);
    return;
  }
  for (const [index, each] of (expectArray(value, place) ?? []).entries()) {
    const here = { ...place, location: `${place.location}[${index}]` };
    const inner = expectObject(each, here);
    if (inner) checkInner(inner, here, depth);
  }
}

/** "A nested rule must not contain Next" or assign. */
function checkInner(rule: JsonObject, place: Place, depth: number): void {
  for (const name of ['Next', 'Assign', 'Output']) {
    if (Object.hasOwn(rule, name)) report(place, `Field '${name}' is not supported`);
  }
  const { Comment: _comment, Next: _next, Assign: _assign, Output: _output, ...test } = rule;
  checkTest(test, place, depth + 1);
}

function checkComparison(test: JsonObject, place: Place): void {
  const { Variable: variable, Condition: _condition, ...rest } = test;
  if (variable === undefined) report(place, 'These fields are required: [Variable]');
  else singleValue(variable, at(place, 'Variable'));
  const operators = Object.keys(rest);
  for (const name of operators) {
    if (!isOperator(name)) report(place, `Field '${name}' is not supported`);
  }
  const known = operators.filter(isOperator);
  if (known.length !== 1 && operators.length === known.length) {
    report(place, `Exactly one comparison operator is required, but there are ${known.length}`);
  }
  for (const name of known) operandCheck(name)(rest[name] ?? null, at(place, name));
}

/** Variable may be any path that gives one value; AWS takes paths with filters and functions too. */
const singleValue: Check = path;

function isOperator(name: string): boolean {
  return name === 'IsPresent' || isComparisonOperator(name.replace(/Path$/, ''));
}

function operandCheck(name: string): Check {
  if (name.endsWith('Path')) return singlePath;
  if (name.startsWith('Is') || name.startsWith('Boolean')) return boolean;
  if (name.startsWith('Numeric')) {
    return (value, place) => {
      if (typeof value !== 'number') report(place, 'Expected value of type [NUMBER]');
    };
  }
  return name.startsWith('Timestamp') ? timestamp : text;
}
