import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

/** The package of one Lambda function. */
export type FunctionBundle = {
  readonly folder: string;
  /** Lambda's `Handler`. */
  readonly handler: string;
  /** Of the AWS SDK, as far as the bundle holds them: `client-s3:GetObject`. What is not there cannot be called. */
  readonly commands: ReadonlySet<string>;
  readonly bytes: number;
};

export type FunctionSource = {
  /** Exports `handler`. */
  readonly file: string;
  /** Where the bundle stands in its package, without ending; for code that finds files beside its own. Default: `index`. */
  readonly place?: string;
  /** Folders of the source tree that go along. */
  readonly folders?: readonly string[];
};

type Options = {
  /** By function name. */
  readonly sources: ReadonlyMap<string, FunctionSource>;
  readonly outFolder: string;
  /** A `node_modules` whose native packages are built for where the functions run. */
  readonly nativeModules: string;
};

const root = fileURLToPath(new URL('../', import.meta.url));

/** Packages with binaries of their own, which cannot be bundled: they go beside the bundle. */
const nativePackages = ['sharp'];

/** CommonJS packages call `require` for Node's own modules. */
const banner =
  "import{createRequire as createRequireOfBundle}from'node:module';const require=createRequireOfBundle(import.meta.url);";

/** Bundles every function at once; each gets a folder with one file and the native packages that it uses. */
export async function bundleFunctions(
  options: Options,
): Promise<ReadonlyMap<string, FunctionBundle>> {
  const { sources, outFolder, nativeModules } = options;
  rmSync(outFolder, { recursive: true, force: true });
  mkdirSync(outFolder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(
      [...sources].map(([name, source]) => [join(name, placeOf(source)), source.file]),
    ),
    outdir: outFolder,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // ES modules first: only what is used of them gets in.
    mainFields: ['module', 'main'],
    outExtension: { '.js': '.mjs' },
    external: nativePackages,
    banner: { js: banner },
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  });
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [resolve(root, path), output]),
  );
  return new Map(
    [...sources].map(([name, source]) => {
      const folder = join(outFolder, name);
      const output = outputs.get(join(folder, `${placeOf(source)}.mjs`));
      if (output === undefined) throw new Error(`esbuild made nothing of ${source.file}`);
      for (const { path, external } of output.imports) {
        if (external === true && nativePackages.includes(path)) {
          copyPackage(path, nativeModules, folder);
        }
      }
      for (const copied of source.folders ?? []) {
        cpSync(join(root, copied), join(folder, copied), { recursive: true });
      }
      const handler = `${placeOf(source)}.handler`;
      return [name, { folder, handler, commands: commandsOf(output), bytes: output.bytes }];
    }),
  );
}

const placeOf = ({ place = 'index' }: FunctionSource): string => place;

function commandsOf({ inputs }: Metafile['outputs'][string]): Set<string> {
  const found = Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
    const match = /@aws-sdk\/(client-[a-z0-9-]+)\/.*\/commands\/(\w+)Command\.js$/.exec(path);
    return match === null || bytesInOutput === 0 ? [] : [`${match[1]}:${match[2]}`];
  });
  return new Set(found);
}

/** A package and everything it needs that is installed, into `folder`/node_modules. */
function copyPackage(name: string, nativeModules: string, folder: string): void {
  const source = join(nativeModules, name);
  const target = join(folder, 'node_modules', name);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(source, target, { recursive: true, dereference: true });
  const { dependencies = {}, optionalDependencies = {} } = readManifest(source);
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
    // The optional ones are binaries for other platforms.
    if (existsSync(join(nativeModules, needed))) copyPackage(needed, nativeModules, folder);
    else if (needed in dependencies)
      throw new Error(`${name} needs ${needed}, which is not installed`);
  }
}

type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

/** npm's own file. */
const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
