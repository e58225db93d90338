import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { Terminal } from './failure.ts';
import type { TenantId } from './ids.ts';
import { isPayloadKeyOf } from './payload-key.ts';

/** Where a job's bytes are, as the client names them; `sha256` in hex, of the whole object however it was uploaded. */
export const payloadReferenceSchema = Type.Object(
  {
    bucket: Type.String({ minLength: 1, maxLength: 63 }),
    key: Type.String({ minLength: 1, maxLength: 1024 }),
    versionId: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    size: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  },
  { additionalProperties: false },
);

export type PayloadReference = Static<typeof payloadReferenceSchema>;

/**
 * What validation saw: the very bytes that every later read must meet again. By `versionId`, or by `etag` where
 * the bucket keeps no versions; `sha256` and `bytes` are of what was read.
 */
export const payloadPinSchema = Type.Object({
  bucket: Type.String(),
  key: Type.String(),
  versionId: Type.Union([Type.String(), Type.Null()]),
  etag: Type.String(),
  sha256: Type.String(),
  bytes: Type.Integer({ minimum: 0 }),
  contentType: Type.Union([Type.String(), Type.Null()]),
});

export type PayloadPin = Static<typeof payloadPinSchema>;

const referenceCheck = Compile(payloadReferenceSchema);
const pinCheck = Compile(payloadPinSchema);

/** The payload reference of a job's row. Throws Terminal INPUT_INVALID where the job has none. */
export function parsePayloadReference(value: unknown): PayloadReference {
  if (referenceCheck.Check(value)) return value;
  throw new Terminal(
    'INPUT_INVALID',
    value === null
      ? 'the job has no payloadRef, and this job type needs a payload'
      : 'payloadRef is not {bucket, key, versionId?, sha256, size?}',
  );
}

/** The pin of a job's row. Throws Terminal where no state has validated the payload before. */
export function parsePayloadPin(value: unknown): PayloadPin {
  if (pinCheck.Check(value)) return value;
  throw new Terminal('TASK_FAULT', 'the payload is read before it was validated: no pin is stored');
}

/** What stands against this reference for this tenant, or undefined: only the bucket of payloads and the own prefix. */
export function payloadReferenceProblem(
  reference: PayloadReference,
  allowed: { readonly bucket: string; readonly tenantId: TenantId },
): string | undefined {
  if (reference.bucket !== allowed.bucket) {
    return `bucket must be ${allowed.bucket}`;
  }
  if (!isPayloadKeyOf(allowed.tenantId, reference.key)) {
    return `key must start with payloads/${allowed.tenantId}/, without empty, "." or ".." segments`;
  }
  return undefined;
}
