// CreateArchive and its like: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_CreateArchive.html
import type { Archive } from './archive-store.ts';
import type { EventBridge } from './event-bridge.ts';
import { archiveArn, busArn } from './names.ts';
import { page } from './page.ts';
import { optionalInteger, optionalText, type Request, requiredText } from './request-fields.ts';
import { assertPattern } from './rule-actions.ts';
import { ServiceError } from './service-error.ts';

const NAME = /^[.\-_A-Za-z0-9]{1,48}$/;

export function createArchive(bridge: EventBridge, request: Request): unknown {
  const { archives, region, now } = bridge;
  const name = nameOf(request);
  const sourceArn = requiredText(request, 'EventSourceArn', /^.{1,1600}$/);
  if (sourceArn !== busArn(region)) {
    throw new ServiceError('ResourceNotFoundException', `Event bus ${sourceArn} does not exist.`);
  }
  if (archives.get(name) !== undefined) {
    throw new ServiceError('ResourceAlreadyExistsException', `Archive ${name} already exists.`);
  }
  const archive: Archive = {
    name,
    sourceArn,
    retentionDays: retentionOf(request) ?? 0,
    createdAtMs: now().getTime(),
    ...describedBy(request),
  };
  archives.put(archive);
  return shown(archive, region);
}

/** Changes what is given. */
export function updateArchive({ archives, region }: EventBridge, request: Request): unknown {
  const existing = existingArchive(archives.get(nameOf(request)), nameOf(request));
  const retentionDays = retentionOf(request) ?? existing.retentionDays;
  const archive = { ...existing, ...describedBy(request), retentionDays };
  archives.put(archive);
  return shown(archive, region);
}

export function describeArchive({ archives, region }: EventBridge, request: Request): unknown {
  const name = requiredText(request, 'ArchiveName', NAME);
  const archive = existingArchive(archives.get(name), name);
  const { events, bytes } = archives.sizeOf(name);
  return {
    ...shown(archive, region),
    ...listed(archive),
    Description: archive.description,
    EventPattern: archive.eventPattern,
    EventCount: events,
    SizeBytes: bytes,
  };
}

export function listArchives({ archives }: EventBridge, request: Request): unknown {
  const prefix = optionalText(request, 'NamePrefix') ?? '';
  const source = optionalText(request, 'EventSourceArn');
  const found = archives
    .all()
    .filter(({ name }) => name.startsWith(prefix))
    .filter(({ sourceArn }) => source === undefined || sourceArn === source);
  const { items, NextToken } = page(found, request);
  return { Archives: items.map(listed), NextToken };
}

/** With every event in it. */
export function deleteArchive({ archives }: EventBridge, request: Request): unknown {
  const { name } = existingArchive(archives.get(nameOf(request)), nameOf(request));
  archives.delete(name);
  return {};
}

export function existingArchive(archive: Archive | undefined, name: string): Archive {
  if (archive !== undefined) return archive;
  throw new ServiceError('ResourceNotFoundException', `Archive ${name} does not exist.`);
}

const nameOf = (request: Request): string => requiredText(request, 'ArchiveName', NAME);

function retentionOf(request: Request): number | undefined {
  const days = optionalInteger(request, 'RetentionDays');
  if (days === undefined || days >= 0) return days;
  throw new ServiceError('ValidationException', 'RetentionDays must be 0 or more.');
}

function describedBy(request: Request): Pick<Archive, 'description' | 'eventPattern'> {
  const description = optionalText(request, 'Description');
  const eventPattern = optionalText(request, 'EventPattern');
  if (eventPattern !== undefined) assertPattern(eventPattern);
  return {
    ...(description === undefined ? {} : { description }),
    ...(eventPattern === undefined ? {} : { eventPattern }),
  };
}

const shown = ({ name, createdAtMs }: Archive, region: string) => ({
  ArchiveArn: archiveArn(region, name),
  State: 'ENABLED',
  CreationTime: createdAtMs / 1_000,
});

const listed = (archive: Archive) => ({
  ArchiveName: archive.name,
  EventSourceArn: archive.sourceArn,
  State: 'ENABLED',
  RetentionDays: archive.retentionDays,
  CreationTime: archive.createdAtMs / 1_000,
});
