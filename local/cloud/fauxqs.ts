// fauxqs with its stores kept on disk, bound to loopback. Its own `startFauxqs` would listen on every interface, and its
// package exports only that and `buildApp`: the stores are reached by path, which the exact version in package.json allows.
import { DatabaseSync } from 'node:sqlite';
import { buildApp } from 'fauxqs';
import { v7 } from 'uuid';
import { PersistenceManager } from '../../node_modules/fauxqs/dist/persistence.js';
import { publish } from '../../node_modules/fauxqs/dist/sns/actions/publish.js';
import { S3Store } from '../../node_modules/fauxqs/dist/s3/s3Store.js';
import { SnsStore } from '../../node_modules/fauxqs/dist/sns/snsStore.js';
import { SqsStore } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { giveBackUndelivered } from './give-back-undelivered.ts';
import { shortenVisibility } from './shorten-visibility.ts';
import { wakeOnePoller } from './wake-one-poller.ts';

export type SendToQueue = (queueArn: string, body: string, messageGroupId?: string) => void;

export interface Fauxqs {
  readonly app: ReturnType<typeof buildApp>;
  /** Throws when there is no such queue. On disk when `onDisk` resolves. */
  readonly sendToQueue: SendToQueue;
  /** Throws when there is no such topic. On disk, in every subscribed queue, when `onDisk` resolves. */
  readonly publishToTopic: (topicArn: string, body: string) => void;
  /** Resolves when everything so far is on disk. */
  readonly onDisk: () => Promise<void>;
  close(): Promise<void>;
}

export function openFauxqs(
  dataDir: string,
  region: string,
  longestVisibilitySeconds?: number,
): Fauxqs {
  wakeOnePoller();
  giveIdsInOrder();
  const disk = new PersistenceManager(dataDir);
  const db = databaseOf(disk);
  mendMessageReady(disk, db);
  const [sqsStore, snsStore, s3Store] = [new SqsStore(), new SnsStore(), new S3Store()];
  disk.load(sqsStore, snsStore, s3Store);
  const commits = createGroupCommit(db);
  groupWrites(disk, db, commits);
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
  if (longestVisibilitySeconds !== undefined) shortenVisibility(app, longestVisibilitySeconds);
  // After giving back, which writes too: no answer leaves before what it says is on disk.
  app.addHook('onSend', async () => {
    await commits.onDisk();
  });
  return {
    app,
    sendToQueue: (queueArn, body, messageGroupId) => {
      const queue = sqsStore.getQueueByArn(queueArn);
      if (!queue) throw new Error(`there is no queue ${queueArn}`);
      queue.enqueue(SqsStore.createMessage(body, {}, undefined, messageGroupId));
    },
    publishToTopic: (TopicArn, Message) => {
      publish({ TopicArn, Message }, snsStore, sqsStore);
    },
    onDisk: () => commits.onDisk(),
    close: async () => {
      await app.close();
      commits.flush();
      disk.close();
    },
  };
}

/** Messages are kept by their id: with ids in the order of time a commit writes one page of the index, not one a message. */
function giveIdsInOrder(): void {
  const createMessage = SqsStore.createMessage.bind(SqsStore);
  SqsStore.createMessage = (...args) => ({ ...createMessage(...args), messageId: v7() });
}

function databaseOf(disk: PersistenceManager): DatabaseSync {
  const db: unknown = Reflect.get(disk, 'db');
  if (db instanceof DatabaseSync) return db;
  throw new Error('fauxqs keeps its database elsewhere now');
}

/** Who has a message, and until when: where that is lost, the message is delivered once more, as SQS may do anyway. */
const forgettable = new Set(['updateMessageInflight', 'updateMessageReady']);

/** Each of its writes is a commit of its own otherwise; its few transactions become savepoints of the group's. */
function groupWrites(disk: PersistenceManager, db: DatabaseSync, commits: GroupCommit): void {
  const methods = Object.getOwnPropertyNames(PersistenceManager.prototype);
  for (const name of methods.filter((method) =>
    /^(insert|update|delete|upsert|save)/.test(method),
  )) {
    const write: unknown = Reflect.get(disk, name);
    if (typeof write !== 'function') continue;
    const lasting = !forgettable.has(name);
    Reflect.set(disk, name, (...args: unknown[]): unknown => {
      commits.begin({ lasting });
      return Reflect.apply(write, disk, args);
    });
  }
  Reflect.set(disk, 'transaction', (work: () => void): void => {
    commits.begin();
    db.exec('SAVEPOINT work');
    try {
      work();
      db.exec('RELEASE work');
    } catch (error) {
      db.exec('ROLLBACK TO work; RELEASE work');
      throw error;
    }
  });
}

/**
 * fauxqs 2.4.1 writes null into a column that takes none when a message becomes visible again by
 * ChangeMessageVisibility(0): the call fails with 500 and the message is in no queue until the next restart.
 */
function mendMessageReady(disk: PersistenceManager, db: DatabaseSync): void {
  const makeVisible = db.prepare(
    'update sqs_messages set receipt_handle = null, visibility_deadline = null where message_id = ?',
  );
  disk.updateMessageReady = (messageId) => {
    makeVisible.run(messageId);
  };
}
