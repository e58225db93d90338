import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * A `node_modules` of the production dependencies for Lambda and Fargate on arm64, whatever this machine is, from
 * package-lock.json and checked against its hashes. Kept until the lock file changes. Gives its path.
 */
export function installForArm64(): string {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const stamp = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  const folder = join(root, 'node_modules/.cache/pawl/linux-arm64');
  const stampFile = join(folder, '.installed');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) {
    return join(folder, 'node_modules');
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) {
    copyFileSync(join(root, file), join(folder, file));
  }
  const target = ['--os=linux', '--cpu=arm64', '--libc=glibc'];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['ci', '--omit=dev', ...target, ...quiet], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`npm ci for linux-arm64 failed in ${folder}`);
  writeFileSync(stampFile, stamp);
  return join(folder, 'node_modules');
}
