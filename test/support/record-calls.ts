import { fileURLToPath } from 'node:url';

const preload = fileURLToPath(new URL('record-aws-calls.ts', import.meta.url));

/** The environment of a process whose AWS calls are noted in `folder`; nothing where there is none (test/run.ts names it). */
export const recordCalls = (
  folder: string | undefined = process.env['CALLS_DIR'],
): Readonly<Record<string, string>> =>
  folder === undefined || folder === ''
    ? {}
    : { CALLS_DIR: folder, NODE_OPTIONS: `--import=${preload}` };
