// The process `lambda`: Lambda's Invoke API on LAMBDA_PORT, loopback only.
import { setTimeout as delay } from 'node:timers/promises';
import { loadJobTypes } from '../../statemachines/registry.ts';
import { readPort, readText } from '../processes/environment.ts';
import { listen } from '../processes/listen.ts';
import { stopOnSignal } from '../processes/stop-on-signal.ts';
import { functionsOf, readFunctions } from './functions.ts';
import { Host } from './host.ts';
import { createInvokeApi } from './invoke-api.ts';

/** Lambda's default for an account. */
const CONCURRENCY = 1_000;
const ENVIRONMENTS = 2;
const DRAIN_MS = 5_000;

const region = readText('AWS_REGION');
const folders = (process.env['JOB_TYPE_DIRS'] ?? '').split(':').filter((folder) => folder !== '');
const file = process.env['LAMBDA_FUNCTIONS_FILE'];
/** Those of the job types' own files, or those that the file lists: a deployment's bundles, for a test of them. */
const functions =
  file === undefined ? functionsOf(await loadJobTypes(folders)) : readFunctions(file);
const log = (line: string): void => console.log(line);
const concurrency = Number(process.env['LAMBDA_CONCURRENCY'] ?? CONCURRENCY);
const host = new Host({ functions, region, environments: ENVIRONMENTS, concurrency, log });
const server = createInvokeApi({ host, functions, region, log });
await host.ready();
await listen(server, readPort('LAMBDA_PORT'));
log(`functions: ${[...functions.keys()].join(', ')}`);

stopOnSignal(async () => {
  server.close();
  server.closeIdleConnections();
  const deadline = performance.now() + DRAIN_MS;
  while (host.inFlight > 0 && performance.now() < deadline) await delay(20);
  await host.stop();
});
