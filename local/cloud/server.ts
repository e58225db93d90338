// The process `cloud`, loopback only: fauxqs (SQS, SNS) on CLOUD_PORT, S3 on CLOUD_S3_PORT, EventBridge on
// CLOUD_EVENTBRIDGE_PORT. CLOUD_LONGEST_VISIBILITY_SECONDS (tests only): see shorten-visibility.ts.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { readPort, readText } from '../processes/environment.ts';
import { stopOnSignal } from '../processes/stop-on-signal.ts';
import { openArchives } from './eventbridge/archive-store.ts';
import type { EventBridge } from './eventbridge/event-bridge.ts';
import { createReplayRunner } from './eventbridge/run-replays.ts';
import { createEventBridgeServer } from './eventbridge/server.ts';
import { openRules } from './eventbridge/rules-store.ts';
import { openFauxqs } from './fauxqs.ts';
import { createS3Server } from '../s3/server.ts';
import { listen } from '../processes/listen.ts';

const S3_GRACE_MS = 500;
const REMOVE_OLD_EVENTS_MS = 60_000;

const dataDir = readText('CLOUD_DATA_DIR');
const region = readText('AWS_REGION');
mkdirSync(dataDir, { recursive: true });

const longestVisibility = process.env['CLOUD_LONGEST_VISIBILITY_SECONDS'];
const fauxqs = openFauxqs(
  dataDir,
  region,
  longestVisibility === undefined ? undefined : Number(longestVisibility),
);
const rules = openRules(join(dataDir, 'eventbridge.sqlite'));
const archives = openArchives(join(dataDir, 'eventbridge-archives.sqlite'));
const bridge: EventBridge = {
  rules,
  archives,
  region,
  sendToQueue: fauxqs.sendToQueue,
  publishToTopic: fauxqs.publishToTopic,
  wakeReplays: () => replays.wake(),
  onDisk: async () => {
    await Promise.all([archives.onDisk(), fauxqs.onDisk()]);
  },
  now: () => new Date(),
  log: (line) => console.log(line),
};
const replays = createReplayRunner(bridge);
const eventBridge = createEventBridgeServer(bridge);
const removeOldEvents = (): void => archives.removeOld(Date.now());

const s3 = createS3Server({
  dataDir: join(dataDir, 's3'),
  region,
  credentials: [
    {
      accessKeyId: readText('AWS_ACCESS_KEY_ID'),
      secretAccessKey: readText('AWS_SECRET_ACCESS_KEY'),
    },
  ],
  clock: Date,
  log: pino({ base: { service: 's3' } }),
});

await s3.listen('127.0.0.1', readPort('CLOUD_S3_PORT'));
await fauxqs.app.listen({ host: '127.0.0.1', port: readPort('CLOUD_PORT') });
await listen(eventBridge, readPort('CLOUD_EVENTBRIDGE_PORT'));
removeOldEvents();
setInterval(removeOldEvents, REMOVE_OLD_EVENTS_MS).unref();
replays.wake();

stopOnSignal(async () => {
  eventBridge.close();
  eventBridge.closeAllConnections();
  await replays.stop();
  await Promise.all([fauxqs.close(), s3.close({ graceMs: S3_GRACE_MS })]);
  rules.close();
  archives.close();
});
