// What the image of the API and the worker holds: `node scripts/assemble-image.ts <empty folder>`; the Dockerfile runs it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { loadJobTypes } from '../statemachines/registry.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** The processes that the image runs, and the two commands that a person runs in it. */
const entries = ['api/server.ts', 'worker/server.ts', 'scripts/migrate.ts', 'scripts/keys.ts'];
/** Found at run time by their place, not by an import. */
const folders = ['migrations', 'statemachines', 'tasks', 'console/dist'];

const target = process.argv[2];
if (target === undefined || (existsSync(target) && readdirSync(target).length > 0)) {
  console.error('usage: node scripts/assemble-image.ts <empty folder>');
  process.exit(1);
}
await assembleImage(resolve(target));

/** Sources as they are, since Node runs them, and those production dependencies that they import. */
async function assembleImage(folder: string): Promise<void> {
  const { files, packages } = await reachableFrom(entries);
  for (const file of files) copy(file, folder);
  for (const path of folders) copy(path, folder);
  installPackages(folder, packages);
}

function copy(path: string, folder: string): void {
  const to = join(folder, path);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(join(root, path), to, { recursive: true });
}

/** Our files and the packages that these import, at whatever distance. */
async function reachableFrom(
  entryPoints: readonly string[],
): Promise<{ files: string[]; packages: Set<string> }> {
  const types = [...(await loadJobTypes()).values()].map(({ folder }) =>
    join(folder, 'job-type.ts'),
  );
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entryPoints, ...types],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: 'unused',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const packages = imports
    .filter(({ external, path }) => external === true && !path.startsWith('node:'))
    .map(({ path }) =>
      path
        .split('/')
        .slice(0, path.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  return { files: Object.keys(metafile.inputs), packages: new Set(packages) };
}

type Manifest = {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: unknown;
  readonly optionalDependencies?: unknown;
  readonly scripts?: unknown;
};

/** At the versions and hashes of package-lock.json. */
function installPackages(folder: string, packages: ReadonlySet<string>): void {
  // Our own file.
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies).filter(([name]) => packages.has(name)),
  );
  const { devDependencies: _d, optionalDependencies: _o, scripts: _s, ...rest } = manifest;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...rest, dependencies }, null, 2));
  copy('package-lock.json', folder);
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', '--omit=dev', '--prefer-offline', ...quiet], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`npm install failed in ${folder}`);
}
