// Opens the data directory, notes a process of its own, says that one's pid, and stays.
import { spawn } from 'node:child_process';
import { openDataDir } from '../../../../local/supervisor/data-dir.ts';

const dataDir = await openDataDir(process.argv[2] ?? '');
const child = spawn('sleep', ['61'], { detached: true, stdio: 'ignore' });
await new Promise((resolve) => child.once('spawn', resolve));
dataDir.noteProcess('sleeper', child.pid ?? 0);
console.log(child.pid);
setInterval(() => undefined, 60_000);
