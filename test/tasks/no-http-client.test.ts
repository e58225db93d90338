// The linter keeps every way to a provider but the effect log's out of a handler's reach; here each is planted.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pawl-lint-'));
after(() => rmSync(folder, { recursive: true, force: true }));
copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));

function plant(file: string, code: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), `${code}\n`);
}

const importOf = (module: string): string =>
  `import * as planted from '${module}';\n\nexport const use = planted;`;

const ways = {
  'the global fetch': "export const use = () => fetch('https://x');",
  'fetch of globalThis': "export const use = () => globalThis.fetch('https://x');",
  'a web socket': "export const use = () => new WebSocket('wss://x');",
  'node:http': importOf('node:http'),
  'https without its prefix': importOf('https'),
  'node:net': importOf('node:net'),
  'a dynamic import': "export const use = async () => await import('node:http2');",
  'a built-in module by process': "export const use = () => process.getBuiltinModule('node:tls');",
  require: importOf('node:module'),
  undici: importOf('undici'),
  'the client of the runtime': importOf('./runtime/http-client.ts'),
  'the SMTP client': importOf('../jobs/smtp-client.ts'),
  'another AWS service': importOf('@aws-sdk/client-lambda'),
  'the client of the worker': importOf('../worker/callback-client.ts'),
};

for (const [name, code] of Object.entries(ways))
  plant(`tasks/${name.replaceAll(/\W/g, '-')}.ts`, code);
plant('tasks/runtime/planted.ts', importOf('node:https'));
plant('statemachines/x/tasks/planted.ts', "export const use = () => fetch('https://x');");
plant('tasks/allowed.ts', "export { defineTask } from './runtime/define-task.ts';");

const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['--format=unix', '.'], {
  cwd: folder,
  encoding: 'utf8',
});
const found = stdout.split('\n').filter((line) => /no-restricted/.test(line));

for (const name of Object.keys(ways)) {
  test(`a handler has no other way to a provider: ${name}`, () => {
    const file = `tasks/${name.replaceAll(/\W/g, '-')}.ts`;
    assert.ok(
      found.some((line) => line.includes(file)),
      stdout,
    );
  });
}

test('nor has the runtime beside its one client, nor a job type’s own folder', () => {
  for (const file of ['tasks/runtime/planted.ts', 'statemachines/x/tasks/planted.ts'])
    assert.ok(
      found.some((line) => line.includes(file)),
      stdout,
    );
});

test('what a handler needs is not refused', () => {
  assert.ok(!found.some((line) => line.includes('tasks/allowed.ts')), stdout);
});
