import { type Static, type TSchema, Type } from 'typebox';

/** One type of event: what it says, and the shape of its `data` in this version. */
export type EventDefinition = {
  readonly version: number;
  readonly aggregate: 'job' | 'order' | 'document';
  readonly producer: string;
  readonly means: string;
  readonly data: TSchema;
};

const time = Type.String({ format: 'date-time' });
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

const job = Type.Object({ jobId: Type.String(), type: Type.String(), run: Type.Integer() });

const failedJob = Type.Object({
  ...job.properties,
  code: Type.String(),
  retryable: Type.Boolean(),
  state: orNull(Type.String()),
});

/** An order as it stands after what happened: each event about it tells all of it, so that any one may be the first. */
const order = Type.Object({
  orderId: Type.String(),
  status: Type.Enum(['RESERVED', 'PAID', 'RELEASED']),
  amount: Type.Integer(),
  currency: Type.String(),
  items: Type.Array(
    Type.Object({ sku: Type.String(), quantity: Type.Integer(), unitPrice: Type.Integer() }),
  ),
  paymentAttempt: Type.Integer(),
  paymentReference: orNull(Type.String()),
  paidAt: orNull(time),
});

const document = Type.Object({
  documentId: Type.String(),
  version: Type.Integer(),
  sha256: Type.String(),
  contentType: Type.String(),
  bytes: Type.Integer(),
  title: orNull(Type.String()),
  language: orNull(Type.String()),
});

const ofJob = <Data extends TSchema>(means: string, data: Data) =>
  ({ version: 1, aggregate: 'job', producer: 'pawl', means, data }) as const;
const ofOrder = <Data extends TSchema>(means: string, data: Data) =>
  ({ version: 1, aggregate: 'order', producer: 'order-settlement', means, data }) as const;

/**
 * Every event that Pawl publishes: the closed list; docs/events.md is made from it. A version grows when a field is
 * taken away or changes its meaning; new fields come without, so readers ignore what they do not know.
 */
export const catalogue = {
  'job.succeeded': ofJob('a job is done, its result is there', job),
  'job.failed': ofJob('a job stopped; a redrive may follow', failedJob),
  'job.cancelled': ofJob('a job was stopped by request', job),
  'job.expired': ofJob('a job’s expiresAt passed before it was done', job),
  'document.stored': {
    version: 1,
    aggregate: 'document',
    producer: 'document-metadata',
    means: 'a version of a document was read and stored, newer than the one before',
    data: document,
  },
  'order.created': ofOrder('an order was placed for the first time', order),
  'stock.reserved': ofOrder('the stock of an order was set aside', order),
  'stock.released': ofOrder('the stock of an order that nobody paid was given back', order),
  'payment.succeeded': ofOrder('an order was paid', order),
  'payment.declined': ofOrder('the payment attempt of an order was declined', order),
  'payment.voided': ofOrder(
    'the payment attempt of an order was voided: nobody paid in time',
    order,
  ),
  'notification.requested': ofOrder(
    'somebody is to be told something by mail',
    Type.Object({
      notification: Type.Enum(['order-not-paid']),
      orderId: Type.String(),
      paymentAttempt: Type.Integer(),
    }),
  ),
} as const satisfies Readonly<Record<string, EventDefinition>>;

export type EventType = keyof typeof catalogue;

export const isEventType = (name: string): name is EventType => Object.hasOwn(catalogue, name);

/** What stands around every event's data: EventBridge's `detail`. */
export const eventEnvelope = Type.Object({
  eventId: Type.String({
    description: 'the same for every delivery of the event: handlers tell repeats by it',
  }),
  type: Type.String(),
  version: Type.Integer({ minimum: 1, description: 'of the data’s shape' }),
  occurredAt: time,
  tenantId: Type.String(),
  aggregate: Type.Object(
    {
      type: Type.String(),
      id: Type.String(),
      version: Type.Integer({ minimum: 0 }),
    },
    {
      description: 'what it is about; a higher version is newer, whichever comes first',
    },
  ),
  correlationId: Type.String({ description: 'of the request that began it all' }),
  causationId: Type.String({ description: 'the job, or the execution, that did it' }),
  producer: Type.String(),
  data: Type.Unknown(),
});
export type EventEnvelope = Static<typeof eventEnvelope>;

/** The bus’s `source` of all of them; `detail-type` is the event’s type. */
export const eventSource = 'pawl';
