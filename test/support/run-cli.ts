import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Runtime } from '../../local/supervisor/runtime-file.ts';

export type Ended = { readonly code: number; readonly out: string; readonly err: string };

const cli = fileURLToPath(new URL('../../cli/pawl.ts', import.meta.url));

/** `pawl <args> --json` with the operator's key, against a Pawl that is up. */
export const runCli = ({ api, keys }: Runtime, args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { ...process.env, PAWL_URL: api, PAWL_KEY: keys.operator };
    execFile(process.execPath, [cli, ...args, '--json'], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
