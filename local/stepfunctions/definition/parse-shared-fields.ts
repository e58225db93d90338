import type { Catcher, QueryLanguage, Retrier } from './ast.ts';
import { optional } from './optional.ts';
import {
  field,
  problem,
  readObjects,
  readOptionalNumber,
  readOptionalText,
  readPath,
  readReferencePath,
  readTemplate,
  readText,
  type Source,
} from './read-fields.ts';

/** The groups of fields that several state types share. */
export function commonFields(name: string, source: Source) {
  return {
    name,
    queryLanguage: source.queryLanguage satisfies QueryLanguage,
    ...optional('comment', readOptionalText(source, 'Comment')),
  };
}

export function transition(source: Source) {
  return optional('next', readOptionalText(source, 'Next'));
}

export function inputOutput(source: Source) {
  return {
    ...optional('inputPath', readPath(source, 'InputPath')),
    ...optional('outputPath', readPath(source, 'OutputPath')),
    ...optional('output', readTemplate(source, 'Output')),
  };
}

export function resultHandling(source: Source) {
  return {
    ...optional('resultSelector', readTemplate(source, 'ResultSelector')),
    ...optional('resultPath', readReferencePath(source, 'ResultPath')),
  };
}

export function errorHandling(source: Source) {
  return {
    retry: readObjects(source, 'Retry').map(parseRetrier),
    catch: readObjects(source, 'Catch').map(parseCatcher),
  };
}

/** Defaults of https://states-language.net/spec.html#retrying-after-error */
function parseRetrier(source: Source): Retrier {
  return {
    errorEquals: readNames(source, 'ErrorEquals'),
    intervalSeconds: readOptionalNumber(source, 'IntervalSeconds') ?? 1,
    maxAttempts: readOptionalNumber(source, 'MaxAttempts') ?? 3,
    backoffRate: readOptionalNumber(source, 'BackoffRate') ?? 2,
    jitterStrategy: readOptionalText(source, 'JitterStrategy') === 'FULL' ? 'FULL' : 'NONE',
    ...optional('maxDelaySeconds', readOptionalNumber(source, 'MaxDelaySeconds')),
  };
}

function parseCatcher(source: Source): Catcher {
  return {
    errorEquals: readNames(source, 'ErrorEquals'),
    next: readText(source, 'Next'),
    ...optional('resultPath', readReferencePath(source, 'ResultPath')),
    ...optional('output', readTemplate(source, 'Output')),
    ...optional('assign', readTemplate(source, 'Assign')),
  };
}

function readNames(source: Source, name: string): string[] {
  const value = field(source, name);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw problem(source, name, `The field '${name}' must be an array of strings`);
}
