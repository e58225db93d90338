// The process `cloud`: fauxqs (SQS, SNS, S3) on CLOUD_PORT and EventBridge on CLOUD_EVENTBRIDGE_PORT, loopback only.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readPort, readText } from '../processes/environment.ts';
import { stopOnSignal } from '../processes/stop-on-signal.ts';
import { createEventBridgeServer } from './eventbridge/server.ts';
import { openRules } from './eventbridge/rules-store.ts';
import { openFauxqs } from './fauxqs.ts';
import { listen } from '../processes/listen.ts';

const dataDir = readText('CLOUD_DATA_DIR');
const region = readText('AWS_REGION');
mkdirSync(dataDir, { recursive: true });

const fauxqs = openFauxqs(dataDir, region);
const rules = openRules(join(dataDir, 'eventbridge.sqlite'));
const eventBridge = createEventBridgeServer({
  rules,
  region,
  sendToQueue: fauxqs.sendToQueue,
  now: () => new Date(),
  log: (line) => console.log(line),
});

await fauxqs.app.listen({ host: '127.0.0.1', port: readPort('CLOUD_PORT') });
await listen(eventBridge, readPort('CLOUD_EVENTBRIDGE_PORT'));

stopOnSignal(async () => {
  eventBridge.close();
  eventBridge.closeAllConnections();
  await fauxqs.close();
  rules.close();
});
