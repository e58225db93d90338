import { isJsonObject } from '../language/json.ts';
import { template } from './check-template.ts';
import { report, type Check } from './place.ts';

/** "Variable names … Unicode identifiers, up to 80 characters": workflow-variables.html of the developer guide. */
const maxNameLength = 80;
const namePattern = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

/** Assign: an object of variables; `states` is JSONata's own. */
export function assign(...offered: string[]): Check {
  const check = template(...offered);
  return (value, place) => {
    if (!isJsonObject(value)) {
      report(place, 'Expected value of type [OBJECT]');
      return;
    }
    for (const key of Object.keys(value)) {
      const name = variableName(key, place.queryLanguage);
      if (name === 'states') report(place, "The variable name 'states' is reserved");
      else if (!namePattern.test(name) || name.length > maxNameLength) {
        report(
          place,
          `'${name}' is not a valid variable name: up to ${maxNameLength} letters, digits and underscores, not beginning with a digit`,
        );
      }
    }
    check(value, place);
  };
}

export function variableName(key: string, queryLanguage: string): string {
  return queryLanguage === 'JSONPath' && key.endsWith('.$') ? key.slice(0, -2) : key;
}
