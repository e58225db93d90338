// StartReplay and its like: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_StartReplay.html
import { existingArchive } from './archive-actions.ts';
import type { Replay } from './archive-store.ts';
import type { EventBridge } from './event-bridge.ts';
import { archiveArn, busArn, replayArn, ruleArn } from './names.ts';
import { page } from './page.ts';
import { asObject, optionalText, type Request, requiredText } from './request-fields.ts';
import { ServiceError } from './service-error.ts';

const NAME = /^[.\-_A-Za-z0-9]{1,64}$/;
const ANY = /^.{1,1600}$/;
/** At the same time, as on AWS: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html */
const MAX_REPLAYS = 10;

export function startReplay(bridge: EventBridge, request: Request): unknown {
  const { archives, region, now } = bridge;
  const name = requiredText(request, 'ReplayName', NAME);
  if (archives.getReplay(name) !== undefined) {
    throw new ServiceError('ResourceAlreadyExistsException', `Replay ${name} already exists.`);
  }
  if (archives.replays().filter(({ endedAtMs }) => endedAtMs === undefined).length >= MAX_REPLAYS) {
    throw new ServiceError('LimitExceededException', `At most ${MAX_REPLAYS} replays run at once.`);
  }
  const archiveName = archiveNamed(requiredText(request, 'EventSourceArn', ANY), region);
  const archive = existingArchive(archives.get(archiveName), archiveName);
  const description = optionalText(request, 'Description');
  const replay: Replay = {
    name,
    archive: archive.name,
    archiveArn: archiveArn(region, archive.name),
    ...(description === undefined ? {} : { description }),
    ...destinationOf(bridge, request),
    ...rangeOf(request),
    state: 'STARTING',
    startedAtMs: now().getTime(),
  };
  archives.putReplay(replay);
  bridge.wakeReplays();
  return {
    ReplayArn: replayArn(region, name),
    State: replay.state,
    ReplayStartTime: replay.startedAtMs / 1_000,
  };
}

export function describeReplay({ archives, region }: EventBridge, request: Request): unknown {
  const name = requiredText(request, 'ReplayName', NAME);
  const replay = existingReplay(archives.getReplay(name), name);
  return {
    ...listed(replay),
    ReplayArn: replayArn(region, name),
    Description: replay.description,
    Destination: {
      Arn: replay.busArn,
      FilterArns: replay.rules.map((rule) => ruleArn(region, rule)),
    },
  };
}

export function listReplays({ archives }: EventBridge, request: Request): unknown {
  const prefix = optionalText(request, 'NamePrefix') ?? '';
  const state = optionalText(request, 'State');
  const source = optionalText(request, 'EventSourceArn');
  const found = archives
    .replays()
    .filter((replay) => replay.name.startsWith(prefix))
    .filter((replay) => state === undefined || replay.state === state)
    .filter((replay) => source === undefined || replay.archiveArn === source);
  const { items, NextToken } = page(found, request);
  return { Replays: items.map(listed), NextToken };
}

/** It ends after the batch that is under way. */
export function cancelReplay(bridge: EventBridge, request: Request): unknown {
  const name = requiredText(request, 'ReplayName', NAME);
  const replay = existingReplay(bridge.archives.getReplay(name), name);
  if (replay.endedAtMs !== undefined) {
    throw new ServiceError('IllegalStatusException', `Replay ${name} is ${replay.state}.`);
  }
  bridge.archives.putReplay({ ...replay, state: 'CANCELLING' });
  bridge.wakeReplays();
  return { ReplayArn: replayArn(bridge.region, name), State: 'CANCELLING' };
}

function existingReplay(replay: Replay | undefined, name: string): Replay {
  if (replay !== undefined) return replay;
  throw new ServiceError('ResourceNotFoundException', `Replay ${name} does not exist.`);
}

function archiveNamed(arn: string, region: string): string {
  const prefix = archiveArn(region, '');
  if (arn.startsWith(prefix)) return arn.slice(prefix.length);
  throw new ServiceError('ValidationException', `EventSourceArn ${arn} is not an archive’s ARN.`);
}

/** Events go back to the bus that they came from, and to the named rules of it. */
function destinationOf(
  { rules, region }: EventBridge,
  request: Request,
): Pick<Replay, 'busArn' | 'rules'> {
  const destination = asObject(request['Destination'], 'Destination');
  const arn = requiredText(destination, 'Arn', ANY);
  if (arn !== busArn(region)) {
    throw new ServiceError(
      'ValidationException',
      `Destination ${arn} is not the event bus of the archive, ${busArn(region)}.`,
    );
  }
  const arns: readonly unknown[] = Array.isArray(destination['FilterArns'])
    ? destination['FilterArns']
    : [];
  return {
    busArn: arn,
    rules: arns.map((given) => {
      const rule = rules.all().find(({ name }) => ruleArn(region, name) === given);
      if (rule !== undefined) return rule.name;
      throw new ServiceError('ResourceNotFoundException', `Rule ${String(given)} does not exist.`);
    }),
  };
}

function rangeOf(request: Request): Pick<Replay, 'fromMs' | 'toMs'> {
  const [from, to] = [request['EventStartTime'], request['EventEndTime']];
  if (typeof from !== 'number' || typeof to !== 'number') {
    throw new ServiceError('ValidationException', 'EventStartTime and EventEndTime are wanted.');
  }
  if (from >= to) {
    throw new ServiceError('ValidationException', 'EventStartTime must be before EventEndTime.');
  }
  return { fromMs: Math.round(from * 1_000), toMs: Math.round(to * 1_000) };
}

const listed = (replay: Replay) => ({
  ReplayName: replay.name,
  EventSourceArn: replay.archiveArn,
  State: replay.state,
  EventStartTime: replay.fromMs / 1_000,
  EventEndTime: replay.toMs / 1_000,
  EventLastReplayedTime: replay.at === undefined ? undefined : replay.at.timeMs / 1_000,
  ReplayStartTime: replay.startedAtMs / 1_000,
  ReplayEndTime: replay.endedAtMs === undefined ? undefined : replay.endedAtMs / 1_000,
});
