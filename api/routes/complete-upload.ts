import { Type } from 'typebox';
import { payloadKeyOf } from '../../jobs/payload-key.ts';
import { payloadReferenceSchema } from '../../jobs/payload-reference.ts';
import type { Api, RouteDeps } from '../api.ts';
import { tenantOf } from '../authenticate.ts';
import { completeMultipart, maxParts } from '../multipart-upload.ts';
import { problemResponses } from '../schemas.ts';

/** POST /uploads/:sha256/complete: the `completeUrl` of an upload in parts; nothing is kept of one but what S3 has. */
export function completeUpload(api: Api, { s3, payloadBucket }: RouteDeps): void {
  api.post(
    '/uploads/:sha256/complete',
    {
      config: { scope: 'jobs:write' },
      schema: {
        operationId: 'completeUpload',
        tags: ['uploads'],
        summary: 'Make the parts of an upload one payload',
        params: Type.Object({ sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
        querystring: Type.Object(
          {
            uploadId: Type.String({ minLength: 1, maxLength: 1024, pattern: '^[!-~]+$' }),
            size: Type.Integer({ minimum: 0 }),
            parts: Type.Integer({ minimum: 1, maximum: maxParts }),
          },
          { additionalProperties: false, description: 'as `completeUrl` has it' },
        ),
        response: { 200: Type.Object({ payloadRef: payloadReferenceSchema }), ...problemResponses },
      },
    },
    async (request, reply) => {
      const { sha256 } = request.params;
      const { uploadId, size, parts } = request.query;
      const key = payloadKeyOf(tenantOf(request), sha256);
      const payloadRef = await completeMultipart(s3, {
        ref: { bucket: payloadBucket, key, sha256, size },
        uploadId,
        partCount: parts,
      });
      return reply.send({ payloadRef });
    },
  );
}
