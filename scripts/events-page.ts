// Writes docs/events.md from the catalogue of events: `node scripts/events-page.ts`.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TSchema } from 'typebox';
import { catalogue, eventEnvelope, eventSource } from '../jobs/events/catalogue.ts';
import { notifyingEvents } from '../jobs/events/notifications.ts';
import { projectedEvents } from '../jobs/events/search-projection.ts';

export const eventsPageFile = fileURLToPath(new URL('../docs/events.md', import.meta.url));

type JsonSchema = {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly description?: string;
};

/** A schema as a reader says it: `text`, `integer`, `time or null`, `[{sku: text, …}]`. */
function shapeOf(schema: JsonSchema): string {
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `"${String(value)}"`).join(' or ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(shapeOf).join(' or ');
  if (schema.items !== undefined) return `[${shapeOf(schema.items)}]`;
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(
      ([name, field]) => `${name}: ${shapeOf(field)}`,
    );
    return `{${fields.join(', ')}}`;
  }
  if (schema.format === 'date-time') return 'time';
  return schema.type === 'string' ? 'text' : (schema.type ?? 'as the type says');
}

const jsonSchemaOf = (schema: TSchema): JsonSchema => JSON.parse(JSON.stringify(schema));

const envelopeRows = (): string =>
  Object.entries(jsonSchemaOf(eventEnvelope).properties ?? {})
    .map(([name, field]) => `| \`${name}\` | ${shapeOf(field)} | ${field.description ?? ''} |`)
    .join('\n');

const eventSections = (): string =>
  Object.entries(catalogue)
    .map(([name, { version, aggregate, producer, means, data }]) => {
      const fields = Object.entries(jsonSchemaOf(data).properties ?? {});
      const list = fields.map(([field, schema]) => `\`${field}\` ${shapeOf(schema)}`).join(', ');
      return `### ${name}\n\nVersion ${version}, about a ${aggregate}, by ${producer}: ${means}.\nData: ${list}.`;
    })
    .join('\n\n');

const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** The page's text; a test holds the file against it. */
export const eventsPage = (): string => `# Events

What happens is told to others: each event is written in the statement that makes it true, goes through the outbox to
EventBridge (\`PutEvents\`, ten at a time; what the bus refuses is tried again alone), and from there by rules to
queues, each with its dead-letter queue. It comes at least once, in any order.
This page is made from \`jobs/events/catalogue.ts\`.

On the bus \`source\` is \`${eventSource}\`, \`detail-type\` the event's type, and \`detail\` this envelope:

| field | shape | means |
|---|---|---|
${envelopeRows()}

Readers ignore fields that they do not know. A version grows when a field is taken away or changes its meaning.
Handlers tell repeats by \`eventId\` (\`event_inbox\`, by event and handler) and old news by \`aggregate.version\`.

## Subscribers that come along

| queue | takes | by | does |
|---|---|---|---|
| \`search-projection\` | ${list(projectedEvents)} | EventBridge → SQS | keeps documents and orders to be found by \`GET /search\`; an older version never overwrites a newer one; a replay of the archive builds it anew |
| \`notifications\` | ${list(notifyingEvents)} | EventBridge → SNS (\`pawl-notifications\`) → SQS, raw delivery | sends the mail through the effect log, once in effect; a replay sends nothing |

A handler does not care by which way an event comes, nor if it comes by both. Another subscriber is another rule of the
bus, or another subscription of the topic, with a queue and dead letters of its own. A message that is no event of ours, or of an unknown
version, is quarantined. While something around a subscriber fails, its message stays in the queue and comes back;
received a hundred times, it is a dead letter: \`npm run pawl -- dlq list --queue <name>\`.

## Replays

An archive keeps every event (30 days on AWS, 7 on one machine). What of a time range some rules would match is brought
to them again, by the order of the events’ times, marked with \`replay-name\`:

    npm run pawl -- events replay --from 2026-07-01T00:00:00Z --to 2026-07-02T00:00:00Z --rule pawl-search-projection --reason "rows were lost"
    npm run pawl -- events list
    npm run pawl -- events cancel <name> --reason "…"

A replay names its rules: one to everybody would reach whoever listens. The **replay guard** is each handler’s \`onReplay\`: the
projection takes the event as if it were new, without asking its inbox, and lets the version decide; notifications skip it.
On AWS an event is in the archive within ten minutes of its publishing, so a replay of the last ten may miss some.

## The events

${eventSections()}
`;

if (import.meta.main) writeFileSync(eventsPageFile, eventsPage());
