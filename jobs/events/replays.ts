import {
  CancelReplayCommand,
  type EventBridgeClient,
  ListReplaysCommand,
  type Replay as ListedReplay,
  StartReplayCommand,
} from '@aws-sdk/client-eventbridge';
import { classifyingAws } from '../classify.ts';
import type { EventArchive } from '../config.ts';

export type ReplayDeps = {
  readonly eventBridge: EventBridgeClient;
  readonly archive: EventArchive;
};

/** What of the archive is brought again, and to whom. */
export type ReplayRequest = {
  /** Events carry it as `replay-name`; each replay has its own. */
  readonly name: string;
  /** By the events' own times: from this one on … */
  readonly from: Date;
  /** … and before this one. */
  readonly to: Date;
  /** Names of rules of the bus; at least one, because a replay to all of them reaches whoever listens. */
  readonly rules: readonly string[];
  readonly reason: string;
};

export type Replay = {
  readonly name: string;
  /** STARTING, RUNNING, CANCELLING, COMPLETED, CANCELLED or FAILED. */
  readonly state: string;
  readonly stateReason: string | null;
  readonly from: Date | null;
  readonly to: Date | null;
  readonly lastReplayedAt: Date | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
};

/** EventBridge's own limit of a description. */
const maxDescription = 512;

/**
 * Starts a replay (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-replay-archived-event.html).
 * What EventBridge refuses is Terminal AWS_REFUSED with its error as the cause.
 */
export async function startReplay(
  { eventBridge, archive }: ReplayDeps,
  { name, from, to, rules, reason }: ReplayRequest,
): Promise<void> {
  await classifyingAws(() =>
    eventBridge.send(
      new StartReplayCommand({
        ReplayName: name,
        Description: reason.replaceAll(/\s+/g, ' ').slice(0, maxDescription),
        EventSourceArn: archive.archiveArn,
        EventStartTime: from,
        EventEndTime: to,
        Destination: {
          Arn: busArnOf(archive),
          FilterArns: rules.map((rule) => ruleArnOf(archive, rule)),
        },
      }),
    ),
  );
}

/** The replays of the archive, the last one first; EventBridge keeps them for 90 days. */
export async function listReplays({ eventBridge, archive }: ReplayDeps): Promise<Replay[]> {
  const found: ListedReplay[] = [];
  let NextToken: string | undefined;
  do {
    const command = new ListReplaysCommand({
      EventSourceArn: archive.archiveArn,
      ...(NextToken === undefined ? {} : { NextToken }),
    });
    const answer = await classifyingAws(() => eventBridge.send(command));
    found.push(...(answer.Replays ?? []));
    ({ NextToken } = answer);
  } while (NextToken !== undefined);
  return found
    .map(toReplay)
    .sort((a, b) => (b.startedAt?.getTime() ?? 0) - (a.startedAt?.getTime() ?? 0));
}

/** It ends after what is under way; what was replayed stays. */
export async function cancelReplay({ eventBridge }: ReplayDeps, name: string): Promise<void> {
  await classifyingAws(() => eventBridge.send(new CancelReplayCommand({ ReplayName: name })));
}

const busArnOf = ({ archiveArn, busName }: EventArchive): string =>
  archiveArn.replace(/:archive\/.*$/, `:event-bus/${busName}`);

/** Rules of the account's own bus have no bus in their ARNs. */
const ruleArnOf = ({ archiveArn, busName }: EventArchive, rule: string): string =>
  archiveArn.replace(
    /:archive\/.*$/,
    busName === 'default' ? `:rule/${rule}` : `:rule/${busName}/${rule}`,
  );

const toReplay = (replay: ListedReplay): Replay => ({
  name: replay.ReplayName ?? '',
  state: replay.State ?? '',
  stateReason: replay.StateReason ?? null,
  from: replay.EventStartTime ?? null,
  to: replay.EventEndTime ?? null,
  lastReplayedAt: replay.EventLastReplayedTime ?? null,
  startedAt: replay.ReplayStartTime ?? null,
  endedAt: replay.ReplayEndTime ?? null,
});
