// fauxqs with its stores kept on disk, bound to loopback. Its own `startFauxqs` would listen on every interface, and its
// package exports only that and `buildApp`: the stores are reached by path, which the exact version in package.json allows.
import { DatabaseSync } from 'node:sqlite';
import { buildApp } from 'fauxqs';
import { PersistenceManager } from '../../node_modules/fauxqs/dist/persistence.js';
import { S3Store } from '../../node_modules/fauxqs/dist/s3/s3Store.js';
import { SnsStore } from '../../node_modules/fauxqs/dist/sns/snsStore.js';
import { SqsStore } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js';
import { giveBackUndelivered } from './give-back-undelivered.ts';

export type SendToQueue = (queueArn: string, body: string, messageGroupId?: string) => void;

export interface Fauxqs {
  readonly app: ReturnType<typeof buildApp>;
  /** On disk when it returns. Throws when there is no such queue. */
  readonly sendToQueue: SendToQueue;
  close(): Promise<void>;
}

export function openFauxqs(dataDir: string, region: string): Fauxqs {
  const disk = new PersistenceManager(dataDir);
  mendMessageReady(disk);
  const [sqsStore, snsStore, s3Store] = [new SqsStore(), new SnsStore(), new S3Store()];
  disk.load(sqsStore, snsStore, s3Store);
  // After loading: otherwise what is loaded would be written again.
  sqsStore.persistence = disk;
  snsStore.persistence = disk;
  s3Store.persistence = disk;
  for (const queue of sqsStore.allQueues()) queue.persistence = disk;

  const app = buildApp({
    logger: false,
    defaultRegion: region,
    stores: { sqsStore, snsStore, s3Store },
  });
  giveBackUndelivered(app, sqsStore);
  return {
    app,
    sendToQueue: (queueArn, body, messageGroupId) => {
      const queue = sqsStore.getQueueByArn(queueArn);
      if (!queue) throw new Error(`there is no queue ${queueArn}`);
      queue.enqueue(SqsStore.createMessage(body, {}, undefined, messageGroupId));
    },
    close: async () => {
      await app.close();
      disk.close();
    },
  };
}

/**
 * fauxqs 2.4.1 writes null into a column that takes none when a message becomes visible again by
 * ChangeMessageVisibility(0): the call fails with 500 and the message is in no queue until the next restart.
 */
function mendMessageReady(disk: PersistenceManager): void {
  const db: unknown = Reflect.get(disk, 'db');
  if (!(db instanceof DatabaseSync)) throw new Error('fauxqs keeps its database elsewhere now');
  const makeVisible = db.prepare(
    'update sqs_messages set receipt_handle = null, visibility_deadline = null where message_id = ?',
  );
  disk.updateMessageReady = (messageId) => {
    makeVisible.run(messageId);
  };
}
