import { type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Terminal } from '../failure.ts';
import { schemaProblems } from '../schema-problems.ts';
import {
  catalogue,
  eventEnvelope,
  type EventEnvelope,
  eventSource,
  isEventType,
} from './catalogue.ts';

/** An event as a subscriber gets it from its queue. */
export type ReceivedEvent = EventEnvelope & {
  /** The name of the replay that brought it again out of an archive; null the first time. */
  readonly replayName: string | null;
};

/** What EventBridge puts around it (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html). */
const busEvent = Compile(
  Type.Object({
    source: Type.Literal(eventSource),
    'detail-type': Type.String(),
    'replay-name': Type.Optional(Type.String()),
    detail: eventEnvelope,
  }),
);

const dataChecks = new Map<string, Validator>(
  Object.entries(catalogue).map(([name, { data }]) => [name, Compile(data as TSchema)]),
);

/**
 * Reads the body of a subscriber's message. Throws Terminal MESSAGE_MALFORMED, MESSAGE_TYPE_UNKNOWN or
 * SCHEMA_VERSION_UNKNOWN: such a message is never tried again.
 */
export function readEvent(body: string): ReceivedEvent {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (cause) {
    throw new Terminal('MESSAGE_MALFORMED', 'the body is not JSON', { cause });
  }
  const problems = schemaProblems(busEvent, parsed);
  if (problems.length > 0 || !busEvent.Check(parsed)) {
    throw new Terminal('MESSAGE_MALFORMED', `not an event of ours: ${firstOf(problems)}`);
  }
  const { detail } = parsed;
  checkData(detail);
  return { ...detail, replayName: parsed['replay-name'] ?? null };
}

/** Throws where the data is not what the catalogue says of this type and version. */
export function checkData({ type, version, data }: EventEnvelope): void {
  if (!isEventType(type)) {
    throw new Terminal('MESSAGE_TYPE_UNKNOWN', `event ${type} is not in the catalogue`);
  }
  if (version !== catalogue[type].version) {
    throw new Terminal(
      'SCHEMA_VERSION_UNKNOWN',
      `event ${type} has version ${version}; this code reads ${catalogue[type].version}`,
    );
  }
  const check = dataChecks.get(type);
  const problems = check === undefined ? [] : schemaProblems(check, data, '/data');
  if (problems.length > 0) {
    throw new Terminal('MESSAGE_MALFORMED', `event ${type}: ${firstOf(problems)}`);
  }
}

const firstOf = (problems: ReturnType<typeof schemaProblems>): string =>
  problems.map(({ pointer, message }) => `${pointer || '/'} ${message}`)[0] ?? 'unknown problem';
