import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';

/** OpenAPI 3.1, generated from the route schemas; `docs/openapi.json` is a copy that a test compares. */
export const openApiOptions: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Pawl',
      version: '0.1.0',
      description:
        'Takes jobs, promises to do them (202), and does each of them exactly once in effect. ' +
        'Errors are problem details (RFC 9457).',
    },
    tags: [
      { name: 'jobs', description: 'Submit, follow and stop jobs' },
      { name: 'uploads', description: 'Payloads' },
      { name: 'webhooks', description: 'Completion webhooks (Standard Webhooks)' },
      { name: 'callbacks', description: 'For providers (signed)' },
      { name: 'operations', description: 'For operators (scope ops)' },
      { name: 'service', description: 'Health' },
    ],
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'pawl_<prefix>_<secret>' },
      },
    },
    security: [{ apiKey: [] }],
  },
  transformObject: (document) =>
    'openapiObject' in document
      ? withOptionalBodies(document.openapiObject)
      : document.swaggerObject,
  refResolver: {
    buildLocalReference: (json, _baseUri, _fragment, index) =>
      typeof json['$id'] === 'string' ? json['$id'] : `Schema${index}`,
  },
};

type Document = Extract<
  Parameters<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>[0],
  { openapiObject: unknown }
>['openapiObject'];

/** A body that may be missing is validated as null; OpenAPI says that by `required: false`. */
function withOptionalBodies(document: Document): Document {
  for (const path of Object.values(document.paths ?? {})) {
    const body = path?.post?.requestBody;
    if (body === undefined || !('content' in body)) continue;
    const json = body.content['application/json'];
    const schema = json?.schema;
    if (json === undefined || schema === undefined || !('anyOf' in schema)) continue;
    const isNull = (branch: object): boolean => 'type' in branch && branch.type === 'null';
    const [other, ...more] = schema.anyOf?.filter((branch) => !isNull(branch)) ?? [];
    if (other === undefined || more.length > 0 || schema.anyOf?.length !== 2) continue;
    json.schema = other;
    body.required = false;
  }
  return document;
}
