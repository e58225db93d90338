import type { RuleStore } from './rules-store.ts';

/** What the actions of the API work with. */
export interface EventBridge {
  readonly rules: RuleStore;
  readonly region: string;
  /** Puts a message on disk in the queue of that ARN before it returns; throws when there is none. */
  readonly sendToQueue: (queueArn: string, body: string, messageGroupId?: string) => void;
  readonly now: () => Date;
  readonly log: (line: string) => void;
}
