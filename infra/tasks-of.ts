import type { Registry } from '../statemachines/registry.ts';

/** A task of one or several job types: one Lambda function. */
export type Task = {
  readonly name: string;
  readonly file: string;
  /** The largest that a type asks for. */
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly types: readonly string[];
};

/** Every task of the registry once. Throws where two types mean different files by one name. */
export function tasksOf(registry: Registry): Task[] {
  const tasks = new Map<string, Task>();
  for (const { type, taskFiles } of registry.values()) {
    for (const { name, file, timeoutSeconds, memoryMb } of taskFiles) {
      const other = tasks.get(name);
      if (other !== undefined && other.file !== file) {
        throw new Error(`the task ${name} is two files: ${other.file} and ${file}`);
      }
      tasks.set(name, {
        name,
        file,
        timeoutSeconds: Math.max(timeoutSeconds, other?.timeoutSeconds ?? 0),
        memoryMb: Math.max(memoryMb, other?.memoryMb ?? 0),
        types: [...(other?.types ?? []), type],
      });
    }
  }
  return [...tasks.values()];
}
