// Builds console/ into console/dist/ unless it is built of these very sources; `npm start` runs it each time.
// The page, its styles and scripts also lie there gzipped, as the API serves them.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'console');
const built = join(folder, 'dist');
const stampOf = (outDir: string): string => join(outDir, 'stamp');

const stamp = hashSources();
if (!isBuilt()) {
  const startedAt = performance.now();
  await build();
  console.log(`console built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** Of everything the page is made of. */
function hashSources(): string {
  const hash = createHash('sha256');
  const files = [
    'package-lock.json',
    'scripts/build-console.ts',
    'docs/failure-codes.md',
    ...filesOf('client'),
    ...filesOf('console'),
    ...filesOf('docs/runbooks'),
  ];
  for (const file of files.sort()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesOf(parent: string): string[] {
  return readdirSync(join(root, parent), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((file) => !/^(client|console)\/dist/.test(file));
}

function isBuilt(): boolean {
  return existsSync(stampOf(built)) && readFileSync(stampOf(built), 'utf8') === stamp;
}

/** Beside the old one, and put in its place whole: somebody else may build or serve it at the same time. */
async function build(): Promise<void> {
  const outDir = `${built}-${randomUUID()}`;
  try {
    const vite = await import('vite');
    await vite.build({
      configFile: join(folder, 'vite.config.ts'),
      root: folder,
      logLevel: 'warn',
      build: { outDir, emptyOutDir: true },
    });
    compress(outDir);
    writeFileSync(stampOf(outDir), stamp);
    putInPlace(outDir);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

function compress(outDir: string): void {
  for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:html|js|css|svg)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
  }
}

function putInPlace(outDir: string): void {
  const old = `${built}-${randomUUID()}`;
  try {
    if (existsSync(built)) renameSync(built, old);
    renameSync(outDir, built);
  } catch (error) {
    // Another build was faster: what it built of the same sources is as good.
    if (!isBuilt()) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}
