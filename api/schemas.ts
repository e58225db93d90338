import { Type, type Static, type TSchema } from 'typebox';
import { jobStatuses } from '../jobs/store/find-job.ts';
import { payloadReferenceSchema } from '../jobs/payload-reference.ts';
import { problemMediaType } from './problems.ts';

/** Puts a schema under a name, as which the OpenAPI document has it among its components. */
const named = <Name extends string, Schema extends TSchema>(name: Name, schema: Schema) =>
  Object.assign(schema, { $id: name });

const closed = { additionalProperties: false };
export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const uuid = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

export const time = Type.String({ format: 'date-time', examples: ['2031-05-04T03:02:01.000Z'] });
/** As `time`, or the day alone. */
export const queryTime = Type.Union([time, Type.String({ format: 'date' })]);
export const jobId = Type.String({
  pattern: uuid,
  examples: ['0198e0a0-7c1e-7a4b-9d6a-3f0c5d1e2b4a'],
});
export const jobType = Type.String({
  minLength: 1,
  maxLength: 64,
  examples: ['document-metadata'],
});
export const status = Type.Enum([...jobStatuses]);

/** Any text that is compared byte by byte: no control characters, so that it can stand in a header or a log line. */
const key = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\x00-\\x1f\\x7f]+$' });

/** At most 32 of them; a name has no colon, because `?tag=` writes name:value. */
const tags = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9._/-]{1,64}$' }),
  Type.String({ maxLength: 256 }),
  { maxProperties: 32, additionalProperties: false, examples: [{ team: 'claims' }] },
);

const jobRequestProperties = {
  type: jobType,
  input: Type.Optional(
    Type.Unknown({ description: 'What the job type takes; at most 256 KiB as UTF-8. Default: {}' }),
  ),
  payloadRef: Type.Optional(payloadReferenceSchema),
  notBefore: Type.Optional(time),
  expiresAt: Type.Optional(time),
  callback: Type.Optional(
    Type.Object({ url: Type.String({ maxLength: 2048, pattern: '^https?://[^\\s@]+$' }) }, closed),
  ),
  tags: Type.Optional(tags),
  orderingKey: Type.Optional(key),
  uniqueKey: Type.Optional(key),
};

export const jobRequest = Type.Object(jobRequestProperties, closed);

/** A job of a batch brings its idempotency key with it. */
export const batchItem = Type.Object(
  { ...jobRequestProperties, idempotencyKey: Type.Optional(Type.String()) },
  closed,
);

export const links = Type.Object({
  self: Type.String(),
  events: Type.String(),
  result: Type.String(),
  cancel: Type.String(),
  failure: Type.Optional(Type.String({ description: 'what its failure means and what to do' })),
  errors: Type.Optional(Type.String({ description: 'the rows that failed, with line and reason' })),
});

export const acceptedJob = named(
  'AcceptedJob',
  Type.Object(
    { jobId, type: jobType, status, createdAt: time, links },
    { description: 'A job that will be done: a 202 is a promise.' },
  ),
);

export const job = named(
  'Job',
  Type.Object(
    {
      jobId,
      type: jobType,
      status,
      run: Type.Integer({ minimum: 1 }),
      createdAt: time,
      startedAt: orNull(time),
      finishedAt: orNull(time),
      progress: orNull(
        Type.Object({
          done: Type.Integer(),
          total: orNull(Type.Integer()),
          failed: Type.Integer(),
        }),
      ),
      result: Type.Unknown({ description: 'What the job type gives; null until SUCCEEDED' }),
      failure: orNull(
        Type.Object({
          code: Type.String(),
          message: Type.String(),
          retryable: Type.Boolean(),
          state: orNull(Type.String()),
        }),
      ),
      execution: Type.Object({
        name: Type.String(),
        arn: orNull(Type.String()),
        redriveCount: Type.Integer(),
      }),
      links,
    },
    { description: 'A job; what is not there yet is null.' },
  ),
);

export const problem = named(
  'Problem',
  Type.Object(
    {
      type: Type.String(),
      title: Type.String(),
      status: Type.Integer(),
      code: Type.String(),
      detail: Type.Optional(Type.String()),
      errors: Type.Optional(
        Type.Array(
          Type.Object({
            pointer: Type.String({
              description: 'JSON Pointer (RFC 6901) into the part that is wrong',
            }),
            message: Type.String(),
          }),
        ),
      ),
      requestId: Type.Optional(Type.String()),
    },
    { description: 'RFC 9457', additionalProperties: true },
  ),
);

/** Schemas that the OpenAPI document names under components. */
export const sharedSchemas = [acceptedJob, job, problem] as const;

/** A reference to a shared schema that keeps its static type. */
export const refTo = <Schema extends TSchema & { $id: string }>(schema: Schema) =>
  Type.Unsafe<Static<Schema>>({ $ref: `${schema.$id}#` });

export type JobBody = Static<typeof job>;
export type AcceptedJobBody = Static<typeof acceptedJob>;

export const jobParams = Type.Object({ jobId: Type.String({ maxLength: 100 }) });

const problemResponse = {
  description: 'What went wrong',
  content: { [problemMediaType]: { schema: refTo(problem) } },
};

/** What any call may answer besides its own; 4xx and 5xx are problem details. */
export const problemResponses = { '4xx': problemResponse, '5xx': problemResponse };
