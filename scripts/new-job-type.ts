// `npm run new-job-type -- <name>`: writes a job type that runs at once, and says what to do with it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jobTypeFiles, nameProblem } from './new-job-type/job-type-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const [name = '', ...more] = process.argv.slice(2);

const files = [...(nameProblem(name) === undefined ? jobTypeFiles(name) : [])];
const taken = files.filter(([path]) => existsSync(join(root, path))).map(([path]) => path);
const problem =
  more.length > 0
    ? `one name, please; what is ${more.join(' ')}?`
    : (nameProblem(name) ??
      (taken.length > 0 ? `nothing was written: there is ${taken.join(', ')} already` : undefined));

if (problem === undefined) {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { flag: 'wx' });
    console.log(`wrote ${path}`);
  }
  const formatted = files.map(([path]) => path).filter((path) => !path.endsWith('.md'));
  spawnSync('node_modules/.bin/oxfmt', formatted, { cwd: root, stdio: 'ignore' });
  console.log(`
It counts words, so that there is something to see. Try it:
  npm test -- test/${name}/*.test.ts
  npm run check
Then make it yours: docs/add-a-job-type.md.`);
} else {
  console.error(`${problem}\nusage: npm run new-job-type -- <name>, such as invoice-scan`);
  process.exitCode = 1;
}
