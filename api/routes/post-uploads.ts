import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { JsonProblem } from '../../jobs/exact-json.ts';
import { payloadKeyOf } from '../../jobs/payload-key.ts';
import { type PayloadReference, payloadReferenceSchema } from '../../jobs/payload-reference.ts';
import type { Api, RouteDeps } from '../api.ts';
import { tenantOf } from '../authenticate.ts';
import {
  maxPartBytes,
  maxParts,
  minPartBytes,
  multipartAboveBytes,
  multipartSeconds,
  type PartPlan,
  startMultipart,
  usualParts,
} from '../multipart-upload.ts';
import { Problem } from '../problems.ts';
import { problemResponses, time } from '../schemas.ts';

const uploadSeconds = 900;
/** S3's limit of one PUT, and more than any job type takes: 5 GiB. */
const maxUploadBytes = 5 * 1024 ** 3;
/** A thousand hashes of parts. */
const maxBodyBytes = 128 * 1024;

const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'of all the bytes, in hex' });
const headers = Type.Record(Type.String(), Type.String(), {
  description: 'to be sent with the PUT, exactly as they are',
});

const body = Type.Object(
  {
    sha256,
    size: Type.Integer({ minimum: 0, maximum: maxUploadBytes }),
    contentType: Type.String({ maxLength: 255, pattern: '^[!-~]+/[!-~]+(; ?[!-~]+)*$' }),
    partSize: Type.Optional(
      Type.Integer({
        minimum: minPartBytes,
        maximum: maxPartBytes,
        description: 'of every part but the last, which may be smaller',
      }),
    ),
    partSha256: Type.Optional(
      Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' }), {
        minItems: 1,
        maxItems: maxParts,
        description: 'of the bytes of each part, in hex: S3 then checks each as it comes',
      }),
    ),
  },
  { additionalProperties: false },
);

const singleUpload = Type.Object(
  {
    uploadUrl: Type.String(),
    method: Type.Literal('PUT'),
    headers,
    payloadRef: payloadReferenceSchema,
    expiresAt: time,
  },
  { description: 'one PUT' },
);
const multipartUpload = Type.Object(
  {
    parts: Type.Array(
      Type.Object({
        url: Type.String({ description: 'to PUT the part to' }),
        headers,
        size: Type.Integer({ description: 'bytes of this part; the parts follow one another' }),
      }),
    ),
    completeUrl: Type.String({ description: 'to POST to, with the key, when all parts are there' }),
    payloadRef: payloadReferenceSchema,
    expiresAt: time,
  },
  { description: 'several PUTs, in any order, and a POST' },
);

/**
 * POST /uploads: where to PUT the bytes, checked by S3 itself, and the reference to submit a job with. Above 100 MB, or
 * where the client names the hashes of its parts, it is an upload in parts.
 */
export function postUploads(api: Api, { s3, clock, payloadBucket }: RouteDeps): void {
  api.post(
    '/uploads',
    {
      bodyLimit: maxBodyBytes,
      config: { scope: 'jobs:write' },
      schema: {
        operationId: 'createUpload',
        tags: ['uploads'],
        summary: 'Get an address to upload a payload to; above 100 MB, one for each part',
        body,
        response: { 201: Type.Union([singleUpload, multipartUpload]), ...problemResponses },
      },
    },
    async (request, reply) => {
      const { contentType, size } = request.body;
      const payloadRef = {
        bucket: payloadBucket,
        key: payloadKeyOf(tenantOf(request), request.body.sha256),
        sha256: request.body.sha256,
        size,
      };
      const plan = partPlanOf(request.body);
      const seconds = plan === undefined ? uploadSeconds : multipartSeconds;
      const expiresAt = new Date(clock().getTime() + seconds * 1000).toISOString();
      if (plan === undefined) {
        const upload = await presignUpload(s3, payloadRef, contentType);
        return reply.code(201).send({ ...upload, method: 'PUT' as const, payloadRef, expiresAt });
      }
      const { uploadId, parts } = await startMultipart(s3, payloadRef, contentType, plan);
      const query = new URLSearchParams({
        uploadId,
        size: String(size),
        parts: String(parts.length),
      });
      const completeUrl = `${originOf(request)}/uploads/${payloadRef.sha256}/complete?${query.toString()}`;
      return reply.code(201).send({ parts, completeUrl, payloadRef, expiresAt });
    },
  );
}

/** How the upload is parted; undefined: not at all. Throws the Problem where the client's own parts do not make it up. */
function partPlanOf({ size, partSize, partSha256 }: Static<typeof body>): PartPlan | undefined {
  if (partSize === undefined && partSha256 === undefined) {
    return size > multipartAboveBytes ? usualParts(size) : undefined;
  }
  if (partSize === undefined) throw notFitting('/partSize', 'is needed with partSha256');
  if (partSha256 === undefined) throw notFitting('/partSha256', 'is needed with partSize');
  const count = Math.max(1, Math.ceil(size / partSize));
  if (partSha256.length === count) return { partSize, partSha256 };
  throw notFitting(
    '/partSha256',
    `must have ${count} hashes: ${size} bytes in parts of ${partSize}`,
  );
}

const notFitting = (pointer: string, message: string): Problem => {
  const errors: JsonProblem[] = [{ pointer, message }];
  return new Problem('invalid-request', { in: 'body', errors });
};

/** Where the caller itself reaches this API: nobody else is told. Before TLS ends at a load balancer, that says so. */
function originOf(request: FastifyRequest): string {
  const forwarded = request.headers['x-forwarded-proto'] === 'https';
  return `${forwarded ? 'https' : request.protocol}://${request.host}`;
}

/**
 * The checksum and the length stay signed headers: S3 ignores a checksum in the query string, and would then take
 * any bytes (https://github.com/aws/aws-sdk-js-v3/issues/3906).
 */
async function presignUpload(s3: S3Client, ref: PayloadReference, contentType: string) {
  const checksum = Buffer.from(ref.sha256, 'hex').toString('base64');
  const command = new PutObjectCommand({
    Bucket: ref.bucket,
    Key: ref.key,
    ChecksumSHA256: checksum,
    ContentType: contentType,
    ContentLength: ref.size,
  });
  const uploadUrl = await getSignedUrl(s3, command, {
    expiresIn: uploadSeconds,
    unhoistableHeaders: new Set(['x-amz-checksum-sha256']),
    signableHeaders: new Set(['host', 'content-length', 'content-type', 'x-amz-checksum-sha256']),
  });
  return { uploadUrl, headers: { 'content-type': contentType, 'x-amz-checksum-sha256': checksum } };
}

/** The origin that uploads go to: a browser has to be let call it (its Content-Security-Policy, the bucket's CORS). */
export async function uploadOriginOf(s3: S3Client, bucket: string): Promise<string> {
  const command = new PutObjectCommand({ Bucket: bucket, Key: 'payloads/' });
  return new URL(await getSignedUrl(s3, command)).origin;
}
