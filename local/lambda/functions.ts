import { readFileSync } from 'node:fs';
import type { Registry } from '../../statemachines/registry.ts';
import { functionNameOf } from '../../statemachines/job-type.ts';

export interface LambdaFunction {
  readonly name: string;
  /** Exports `handler`. */
  readonly file: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
}

/**
 * The functions that the job types' tasks are, by name. A task that several types share gets the largest of their limits.
 *
 * Throws when two types mean different files by one task name: they would be one function on AWS too.
 */
export function functionsOf(registry: Registry): ReadonlyMap<string, LambdaFunction> {
  const functions = new Map<string, LambdaFunction>();
  for (const task of [...registry.values()].flatMap((jobType) => jobType.taskFiles)) {
    const name = functionNameOf(task.name);
    const other = functions.get(name);
    if (other && other.file !== task.file) {
      throw new Error(`two files are called for by one task name: ${other.file} and ${task.file}`);
    }
    functions.set(name, {
      name,
      file: task.file,
      timeoutSeconds: Math.max(task.timeoutSeconds, other?.timeoutSeconds ?? 0),
      memoryMb: Math.max(task.memoryMb, other?.memoryMb ?? 0),
    });
  }
  return functions;
}

/** The functions that a file lists, a JSON array of LambdaFunction. */
export function readFunctions(file: string): ReadonlyMap<string, LambdaFunction> {
  // Written by a test of ours.
  const functions = JSON.parse(readFileSync(file, 'utf8')) as LambdaFunction[];
  return new Map(functions.map((lambda) => [lambda.name, lambda]));
}
