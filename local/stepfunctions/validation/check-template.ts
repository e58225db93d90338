import { isJsonObject, type Json } from '../language/json.ts';
import { isExpression } from '../language/jsonata-template.ts';
import { checkExpression } from './check-expression.ts';
import { parseReference } from './checks.ts';
import { at, report, warn, type Check, type Place } from './place.ts';

/** A value that may hold paths and intrinsic calls (JSONPath) or expressions (JSONata) at any depth. */
export function template(...offered: string[]): Check {
  return (value, place) => {
    if (place.queryLanguage === 'JSONata') checkJsonata(value, place, offered);
    else checkJsonPath(value, place);
  };
}

/** A template that is an object, or (JSONata only) an expression that gives one. */
export function objectTemplate(...offered: string[]): Check {
  const check = template(...offered);
  return (value, place) => {
    const isAllowed =
      isJsonObject(value) || (place.queryLanguage === 'JSONata' && isExpression(value));
    if (isAllowed) check(value, place);
    else report(place, 'Expected value of type [OBJECT]');
  };
}

function checkJsonata(value: Json, place: Place, offered: readonly string[]): void {
  if (isExpression(value)) {
    checkExpression(value, place, offered);
  } else if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      checkJsonata(each, { ...place, location: `${place.location}[${index}]` }, offered);
    }
  } else if (isJsonObject(value)) {
    for (const [key, each] of Object.entries(value)) checkJsonata(each, at(place, key), offered);
  }
}

function checkJsonPath(value: Json, place: Place): void {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      checkJsonPath(each, { ...place, location: `${place.location}[${index}]` });
    }
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [key, each] of Object.entries(value)) {
    if (key.endsWith('.$')) checkReference(key, each, place);
    else checkJsonPath(each, at(place, key));
    if (!key.endsWith('.$') && looksLikeReference(each)) {
      warn(
        place,
        `The field '${key}' appears to be a JSONPath or intrinsic function call, but its name does not end with '.$'`,
        'NO_DOLLAR',
      );
    }
  }
}

function checkReference(key: string, value: Json, place: Place): void {
  try {
    if (typeof value !== 'string') throw new Error('not a string');
    parseReference(value);
  } catch {
    report(
      place,
      `The value for the field '${key}' must be a valid JSONPath or a valid intrinsic function call`,
    );
  }
}

export function looksLikeReference(value: Json): boolean {
  return typeof value === 'string' && /^(\$[.$[]|States\.[A-Z]\w+\()/.test(value);
}
