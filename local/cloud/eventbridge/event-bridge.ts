import type { RuleStore } from './rules-store.ts';

/** What the actions of the API work with. */
export interface EventBridge {
  readonly rules: RuleStore;
  readonly region: string;
  /** Puts a message into the queue of that ARN; throws when there is none. */
  readonly sendToQueue: (queueArn: string, body: string, messageGroupId?: string) => void;
  /** Resolves when all messages so far are on disk. */
  readonly onDisk: () => Promise<void>;
  readonly now: () => Date;
  readonly log: (line: string) => void;
}
