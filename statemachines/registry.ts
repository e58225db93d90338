import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type JobType, substitutionOf, type TaskSettings } from './job-type.ts';

/** A job type with the files that belong to it. */
export type RegisteredJobType = JobType & {
  /** The text of `definition.asl.json`, with its `${TaskName}` substitutions still in it. */
  readonly definition: string;
  readonly folder: string;
  readonly taskFiles: readonly (TaskSettings & { readonly file: string })[];
};

export type Registry = ReadonlyMap<string, RegisteredJobType>;

const ownFolder = dirname(fileURLToPath(import.meta.url));
const sharedTasks = resolve(ownFolder, '../tasks');

/**
 * Reads every job type: the folders here, and those in `extraFolders` (JOB_TYPE_DIRS). A type's task is
 * `<its folder>/tasks/<name>.ts` where there is one, else `tasks/<name>.ts`.
 * Throws where a folder is not a job type, naming what is missing.
 */
export async function loadJobTypes(extraFolders: readonly string[] = []): Promise<Registry> {
  const registry = new Map<string, RegisteredJobType>();
  for (const parent of [ownFolder, ...extraFolders]) {
    for (const folder of typeFolders(parent)) {
      const jobType = await readJobType(folder);
      if (registry.has(jobType.type))
        throw new Error(`two job types are called ${jobType.type}; the second is ${folder}`);
      registry.set(jobType.type, jobType);
    }
  }
  return registry;
}

const typeFolders = (parent: string): string[] => {
  if (!existsSync(parent)) throw new Error(`there is no job type folder ${parent} (JOB_TYPE_DIRS)`);
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(parent, entry.name, 'job-type.ts')))
    .map((entry) => join(resolve(parent), entry.name));
};

async function readJobType(folder: string): Promise<RegisteredJobType> {
  const module: { default?: JobType } = await import(
    pathToFileURL(join(folder, 'job-type.ts')).href
  );
  const jobType = module.default;
  if (jobType === undefined)
    throw new Error(
      `${folder}/job-type.ts has no default export; write "export default defineJobType({…})"`,
    );
  return {
    ...jobType,
    folder,
    definition: readFileSync(join(folder, 'definition.asl.json'), 'utf8'),
    taskFiles: jobType.tasks.map((task) => ({ ...task, file: taskFile(folder, task.name) })),
  };
}

function taskFile(folder: string, name: string): string {
  const candidates = [join(folder, 'tasks', `${name}.ts`), join(sharedTasks, `${name}.ts`)];
  const found = candidates.find((file) => existsSync(file));
  if (found === undefined)
    throw new Error(
      `task ${name} of ${folder} has no file; looked for ${candidates.join(' and ')}`,
    );
  return found;
}

/**
 * The definition with each `${TaskName}` replaced by what `functionOf` gives for the task (a name or an ARN).
 * Throws where the definition names a task that the job type does not list.
 */
export function resolveDefinition(
  jobType: RegisteredJobType,
  functionOf: (taskName: string) => string,
): string {
  const functions = new Map(
    jobType.tasks.map((task) => [substitutionOf(task.name), functionOf(task.name)]),
  );
  return jobType.definition.replaceAll(/\$\{([A-Za-z0-9]+)\}/g, (_, name: string) => {
    const found = functions.get(name);
    if (found === undefined) {
      throw new Error(
        `${jobType.folder}/definition.asl.json names \${${name}}; job-type.ts lists only ${[...functions.keys()].join(', ')}`,
      );
    }
    return found;
  });
}
