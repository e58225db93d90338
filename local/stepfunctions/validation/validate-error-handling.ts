import type { Json, JsonObject } from '../language/json.ts';
import { assign } from './check-assign.ts';
import { template } from './check-template.ts';
import { integer, number, oneOf, resultPath, target, text } from './checks.ts';
import { checkLanguage } from './check-language.ts';
import {
  checkFieldNames,
  checkFields,
  expectArray,
  expectObject,
  report,
  type Check,
  type Place,
} from './place.ts';

/** Limits of https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html */
const maxSeconds = 99_999_999;
const maxDelaySeconds = 31_622_400;

const retrierFields: Record<string, Check> = {
  Comment: text,
  ErrorEquals: errorNames,
  IntervalSeconds: integer(1, maxSeconds),
  MaxAttempts: integer(0, maxSeconds),
  BackoffRate: number(1, Number.MAX_VALUE, false),
  MaxDelaySeconds: integer(1, maxDelaySeconds),
  JitterStrategy: oneOf(['FULL', 'NONE']),
};

const catcherFields: Record<string, Check> = {
  Comment: text,
  ErrorEquals: errorNames,
  Next: target,
  ResultPath: resultPath,
  Output: template('result', 'errorOutput'),
  Assign: assign('errorOutput'),
};

export const retry: Check = (value, place) => {
  checkTakers(value, place, retrierFields, ['ErrorEquals']);
};

export const catchers: Check = (value, place) => {
  checkTakers(value, place, catcherFields, ['ErrorEquals', 'Next']);
};

/** An empty list is allowed here, as on AWS. */
function checkTakers(
  value: Json,
  place: Place,
  checks: Record<string, Check>,
  required: string[],
): void {
  if (!Array.isArray(value)) {
    report(place, 'Expected value of type [ARRAY]');
    return;
  }
  for (const [index, each] of value.entries()) {
    const here = { ...place, location: `${place.location}[${index}]` };
    const fields = expectObject(each, here);
    if (!fields) continue;
    checkFieldNames(fields, checks, required, here);
    checkLanguage(fields, here);
    checkFields(fields, checks, here);
    checkIsLast(fields, index === value.length - 1, here);
  }
}

function errorNames(value: Json, place: Place): void {
  const names = expectArray(value, place);
  if (!names) return;
  if (!names.every((each) => typeof each === 'string')) {
    report(place, 'Expected value of type [STRING]');
  }
  if (names.includes('States.ALL') && names.length > 1) {
    report(place, "'States.ALL' must appear alone in 'ErrorEquals'");
  }
}

function checkIsLast(fields: JsonObject, isLast: boolean, place: Place): void {
  const names = fields['ErrorEquals'];
  if (!isLast && Array.isArray(names) && names.includes('States.ALL')) {
    report(place, "'States.ALL' must appear in the last element");
  }
}
