import { fileURLToPath } from 'node:url';
import type { Registry } from '../statemachines/registry.ts';
import type { FunctionSource } from './bundle-functions.ts';
import { dispatcherBundle } from './dispatcher-function.ts';
import { tasksOf } from './tasks-of.ts';

export const migrationsBundle = 'migrate';

const file = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Every function that is packed: the registry's tasks by name, the dispatcher and the migrations. */
export const functionSources = (registry: Registry): ReadonlyMap<string, FunctionSource> =>
  new Map<string, FunctionSource>([
    ...tasksOf(registry).map((task): [string, FunctionSource] => [task.name, { file: task.file }]),
    [dispatcherBundle, { file: file('worker/lambda-dispatcher.ts') }],
    [
      migrationsBundle,
      // migrate.ts finds the files two folders above its own.
      {
        file: file('worker/lambda-migrations.ts'),
        place: 'jobs/store/migrate',
        folders: ['migrations'],
      },
    ],
  ]);
