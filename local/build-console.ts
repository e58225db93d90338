import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../scripts/build-console.ts', import.meta.url));

/**
 * Builds the console where its sources have changed; in a process of its own, because the builder takes much memory.
 * Jobs are done without it: where it cannot be built that is said, and nothing else is kept from starting.
 */
export async function buildConsole(say: (line: string) => void): Promise<void> {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code]: unknown[] = await once(child, 'exit');
  if (code !== 0) say(`The console could not be built: see what "node ${script}" says.`);
}
