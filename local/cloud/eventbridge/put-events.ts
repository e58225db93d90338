// PutEvents: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
import { randomUUID } from 'node:crypto';
import { asObject, optionalText, type Request, requiredList } from './request-fields.ts';
import { isRecord } from './comparison.ts';
import { deliverEvent } from './deliver-event.ts';
import type { EventBridge } from './event-bridge.ts';
import { ACCOUNT, refuseOtherBus } from './names.ts';
import { ServiceError } from './service-error.ts';

const MAX_ENTRIES = 10;
/** Of all entries of a request together; AWS raised it from 256 KiB. */
const MAX_TOTAL_BYTES = 1_048_576;
const TIME_BYTES = 14;

interface EntryFailure {
  readonly ErrorCode: string;
  readonly ErrorMessage: string;
}

/**
 * Keeps each event in its archives and puts it into every queue that a matching rule targets, before it answers.
 *
 * An entry that is refused has ErrorCode and ErrorMessage in its place and counts in FailedEntryCount; the others go on.
 */
export function putEvents(bridge: EventBridge, request: Request): unknown {
  const entries = requiredList(request, 'Entries', MAX_ENTRIES).map((entry) =>
    asObject(entry, 'an entry'),
  );
  const totalBytes = entries.map(entryBytes).reduce((sum, bytes) => sum + bytes, 0);
  if (totalBytes > MAX_TOTAL_BYTES) {
    throw new ServiceError(
      'ValidationException',
      `Total size of the entries in the request is over the limit: ${totalBytes} of ${MAX_TOTAL_BYTES} bytes.`,
    );
  }
  // All are looked at before the first is delivered: a request that fails as a whole has delivered nothing.
  const checked = entries.map((entry) => {
    const detail = parseDetail(entry['Detail']);
    return { entry, detail, failure: refuse(entry, detail) };
  });
  return {
    FailedEntryCount: checked.filter(({ failure }) => failure).length,
    Entries: checked.map(
      ({ entry, detail, failure }) => failure ?? { EventId: publish(bridge, entry, detail) },
    ),
  };
}

/** Returns the event's id. */
function publish(bridge: EventBridge, entry: Request, detail: unknown): string {
  const event = {
    version: '0',
    id: randomUUID(),
    'detail-type': entry['DetailType'],
    source: entry['Source'],
    account: ACCOUNT,
    time: eventTime(entry['Time'], bridge.now),
    region: bridge.region,
    resources: Array.isArray(entry['Resources']) ? entry['Resources'] : [],
    detail,
  };
  bridge.archives.keep(event, Date.parse(event.time), bridge.now().getTime());
  deliverEvent(bridge, event);
  return event.id;
}

function refuse(entry: Request, detail: unknown): EntryFailure | undefined {
  for (const field of ['Source', 'DetailType', 'Detail']) {
    if (!optionalText(entry, field)) {
      return failed(
        'InvalidArgument',
        `Parameter ${field} is not valid. Reason: ${field} is a required argument.`,
      );
    }
  }
  const source = optionalText(entry, 'Source') ?? '';
  if (source.startsWith('aws.') && source !== 'aws.states') {
    return failed('NotAuthorizedForSourceException', 'Not authorized for the source.');
  }
  if (!isRecord(detail)) return failed('MalformedDetail', 'Detail is malformed.');
  const otherBus = refuseOtherBus(entry);
  return otherBus === undefined ? undefined : failed('ResourceNotFoundException', otherBus);
}

const failed = (ErrorCode: string, ErrorMessage: string): EntryFailure => ({
  ErrorCode,
  ErrorMessage,
});

function parseDetail(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined; // answered as MalformedDetail
  }
}

/** EventBridge's times have no fraction of a second. */
function eventTime(seconds: unknown, now: () => Date): string {
  const time = typeof seconds === 'number' ? new Date(seconds * 1000) : now();
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** As https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html counts them. */
function entryBytes(entry: Request): number {
  const texts = [entry['Source'], entry['DetailType'], entry['Detail'], entry['Resources']].flat();
  const time = entry['Time'] === undefined ? 0 : TIME_BYTES;
  return texts.reduce<number>(
    (sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 0),
    time,
  );
}
