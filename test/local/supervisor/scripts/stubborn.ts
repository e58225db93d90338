// Writes "ready", and takes no notice of SIGTERM when told so.
import { stopOnSignal } from '../../../../local/processes/stop-on-signal.ts';

if (process.env['STUBBORN'] === '1') process.on('SIGTERM', () => undefined);
else stopOnSignal(() => undefined);
if (process.env['BROKEN'] === '1') throw new Error('nothing to read from');
console.log('ready');
setInterval(() => undefined, 60_000);
