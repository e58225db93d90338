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
  refResolver: {
    buildLocalReference: (json, _baseUri, _fragment, index) =>
      typeof json['$id'] === 'string' ? json['$id'] : `Schema${index}`,
  },
};
