/**
 * What a consumer has received of each message group (the tenant), so that the reconciler can tell a message that is
 * lost from one that waits: under a fair queue a quiet tenant's newest message comes before a busy tenant's oldest
 * (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html).
 */
export type ReceivedGroups = {
  /** Receiving begins, or goes on after a pause: nothing says anything about the time before. */
  resume(): void;
  /** `undefined`: it came without one. The stand-in for SQS drops groups, and serves all in one line. */
  receive(group: string | undefined, sentAt: Date): void;
  /** Whether a message of the group that was sent at this moment would have been received by now. */
  hasPassed(group: string, sentAt: Date): boolean;
};

type Options = {
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** How many groups are remembered; of those that are forgotten it is known when the last was received. */
  readonly capacity?: number;
};

type Seen = { readonly sentUpTo: number; readonly receivedAt: number };

/** How much older than what is received now a message must be to count as passed: queues are not strictly ordered. */
export const reorderAllowanceMs = 60_000;
/** A group of which nothing comes for so long, while later messages of others do, has nothing in the queue. */
export const idleMs = 600_000;

export function createReceivedGroups({ now, capacity = 10_000 }: Options): ReceivedGroups {
  // In the order in which they were received last: the first is the one to forget.
  const groups = new Map<string, Seen>();
  let sentUpTo = Number.NEGATIVE_INFINITY;
  let ungroupedUpTo = Number.NEGATIVE_INFINITY;
  let knownSince = now();
  let forgottenAt = Number.NEGATIVE_INFINITY;

  const forgetOldest = (): void => {
    for (const [group, { receivedAt }] of groups) {
      groups.delete(group);
      forgottenAt = Math.max(forgottenAt, receivedAt);
      return;
    }
  };
  return {
    resume() {
      knownSince = now();
    },
    receive(group, sentAt) {
      sentUpTo = Math.max(sentUpTo, sentAt.getTime());
      if (group === undefined) {
        ungroupedUpTo = Math.max(ungroupedUpTo, sentAt.getTime());
        return;
      }
      const before = groups.get(group)?.sentUpTo ?? Number.NEGATIVE_INFINITY;
      groups.delete(group);
      groups.set(group, { sentUpTo: Math.max(before, sentAt.getTime()), receivedAt: now() });
      if (groups.size > capacity) forgetOldest();
    },
    hasPassed(group, sentAt) {
      const later = sentAt.getTime() + reorderAllowanceMs;
      const seen = groups.get(group);
      if (later < Math.max(seen?.sentUpTo ?? Number.NEGATIVE_INFINITY, ungroupedUpTo)) return true;
      const lastReceived = Math.max(seen?.receivedAt ?? forgottenAt, knownSince);
      return later < sentUpTo && now() - lastReceived >= idleMs;
    },
  };
}
