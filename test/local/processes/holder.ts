// Starts a process, guards it, and says its pid.
import { spawn } from 'node:child_process';
import { guard } from '../../../local/processes/guard.ts';

const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
const guarded = guard(child.pid ?? 0, 'TERM');
if (process.argv[2] === 'releases') guarded.release();
console.log(child.pid);
setInterval(() => undefined, 60_000);
