import type { ArchiveStore } from './archive-store.ts';
import type { RuleStore } from './rules-store.ts';

/** What the actions of the API work with. */
export interface EventBridge {
  readonly rules: RuleStore;
  readonly archives: ArchiveStore;
  readonly region: string;
  /** Puts a message into the queue of that ARN; throws when there is none. */
  readonly sendToQueue: (queueArn: string, body: string, messageGroupId?: string) => void;
  /** Publishes to the topic of that ARN; throws when there is none. */
  readonly publishToTopic: (topicArn: string, body: string) => void;
  /** Goes on with the replays that have not ended. */
  readonly wakeReplays: () => void;
  /** Resolves when all messages and archived events so far are on disk. */
  readonly onDisk: () => Promise<void>;
  readonly now: () => Date;
  readonly log: (line: string) => void;
}
