import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { Type } from 'typebox';
import { payloadKeyOf } from '../../jobs/payload-key.ts';
import { type PayloadReference, payloadReferenceSchema } from '../../jobs/payload-reference.ts';
import type { Api, RouteDeps } from '../api.ts';
import { tenantOf } from '../authenticate.ts';
import { problemResponses, time } from '../schemas.ts';

const uploadSeconds = 900;
/** S3's limit of one PUT: 5 GiB (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const maxUploadBytes = 5 * 1024 ** 3;

/** POST /uploads: where to PUT the bytes, checked by S3 itself, and the reference to submit a job with. */
export function postUploads(api: Api, { s3, clock, payloadBucket }: RouteDeps): void {
  api.post(
    '/uploads',
    {
      config: { scope: 'jobs:write' },
      schema: {
        operationId: 'createUpload',
        tags: ['uploads'],
        summary: 'Get an address to upload a payload to',
        body: Type.Object(
          {
            sha256: Type.String({
              pattern: '^[0-9a-f]{64}$',
              description: 'of all the bytes, in hex',
            }),
            size: Type.Integer({ minimum: 0, maximum: maxUploadBytes }),
            contentType: Type.String({ maxLength: 255, pattern: '^[!-~]+/[!-~]+(; ?[!-~]+)*$' }),
          },
          { additionalProperties: false },
        ),
        response: {
          201: Type.Object({
            uploadUrl: Type.String(),
            method: Type.Literal('PUT'),
            headers: Type.Record(Type.String(), Type.String(), {
              description: 'to be sent with the PUT, exactly as they are',
            }),
            payloadRef: payloadReferenceSchema,
            expiresAt: time,
          }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const { sha256, size } = request.body;
      const payloadRef = {
        bucket: payloadBucket,
        key: payloadKeyOf(tenantOf(request), sha256),
        sha256,
        size,
      };
      const expiresAt = new Date(clock().getTime() + uploadSeconds * 1000).toISOString();
      const upload = await presignUpload(s3, payloadRef, request.body.contentType);
      return reply.code(201).send({ ...upload, method: 'PUT' as const, payloadRef, expiresAt });
    },
  );
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
