// `npm run bench -- <name> [--json]`: runs one benchmark; without a name it lists them.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const notBenchmarks = new Set(['run', 'open-api', 'insert-server']);
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => entry.name.slice(0, -'.ts'.length))
  .filter((name) => !notBenchmarks.has(name));

const [name] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
if (name === undefined || !names.includes(name)) {
  if (name !== undefined) console.error(`there is no benchmark ${name}`);
  console.log(`npm run bench -- <name>, one of:\n${names.map((each) => `  ${each}`).join('\n')}`);
  process.exit(name === undefined ? 0 : 1);
}
await import(new URL(`${name}.ts`, import.meta.url).href);
