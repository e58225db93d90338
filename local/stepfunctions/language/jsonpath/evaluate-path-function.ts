import { isJsonObject, type Json } from '../json.ts';
import type { PathFunction } from './jsonpath.ts';

/** Thrown when a function of a path meets data it cannot take. */
export class PathFunctionError extends Error {
  override readonly name = 'PathFunctionError';
}

/** The functions of Jayway JsonPath at the end of a path: `$.list.length()`. Throws PathFunctionError. */
export function evaluatePathFunction(name: PathFunction, value: Json, argument?: number): Json {
  switch (name) {
    case 'length':
    case 'size':
      return lengthOf(value);
    case 'keys':
      return isJsonObject(value) ? Object.keys(value) : [];
    case 'first':
      return elementAt(value, 0, name);
    case 'last':
      return elementAt(value, -1, name);
    case 'index':
      return elementAt(value, argument ?? 0, name);
    case 'min':
      return numbersOf(value, name).reduce((least, each) => Math.min(least, each));
    case 'max':
      return numbersOf(value, name).reduce((most, each) => Math.max(most, each));
    case 'sum':
      return sum(numbersOf(value, name));
    case 'avg':
      return average(numbersOf(value, name));
    case 'stddev':
      return standardDeviation(numbersOf(value, name));
  }
}

function lengthOf(value: Json): Json {
  if (Array.isArray(value) || typeof value === 'string') return value.length;
  return isJsonObject(value) ? Object.keys(value).length : null;
}

function elementAt(value: Json, index: number, name: string): Json {
  const found = Array.isArray(value) ? value.at(index) : undefined;
  if (found === undefined) {
    throw new PathFunctionError(
      `Aggregation function ${name} attempted to calculate value using empty array`,
    );
  }
  return found;
}

function numbersOf(value: Json, name: string): number[] {
  const numbers = Array.isArray(value) ? value.filter((each) => typeof each === 'number') : [];
  if (numbers.length === 0) {
    throw new PathFunctionError(
      `Aggregation function ${name} attempted to calculate value using empty array`,
    );
  }
  return numbers;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function average(numbers: readonly number[]): number {
  return sum(numbers) / numbers.length;
}

function standardDeviation(numbers: readonly number[]): number {
  const mean = average(numbers);
  return Math.sqrt(average(numbers.map((each) => (each - mean) ** 2)));
}
