import { Type } from 'typebox';
import type { Api, RouteDeps } from '../api.ts';
import { problemResponses } from '../schemas.ts';

const jobTypeView = Type.Object({
  type: Type.String(),
  description: Type.String(),
  inputSchema: Type.Unknown({ description: 'JSON Schema (draft 2020-12) of `input`' }),
  payload: Type.String({ description: 'required, optional or none' }),
  maxPayloadBytes: Type.Number(),
  timeoutSeconds: Type.Number(),
  afterFailure: Type.String({
    description: 'block or continue: what a failed job does to the later ones of its ordering key',
  }),
  effects: Type.Array(Type.Object({ provider: Type.String(), operation: Type.String() })),
  definition: Type.String({ description: 'the ASL, with `${TaskName}` for its functions' }),
});

/** GET /job-types: what can be submitted, and what each type takes. */
export function listJobTypes(api: Api, { registry }: RouteDeps): void {
  const jobTypes = [...registry.values()].map((found) => ({
    type: found.type,
    description: found.description,
    // As text and back: typebox marks its schemas with members that are not JSON.
    inputSchema: JSON.parse(JSON.stringify(found.inputSchema)) as unknown,
    payload: found.payload,
    maxPayloadBytes: found.maxPayloadBytes,
    timeoutSeconds: found.timeoutSeconds,
    afterFailure: found.afterFailure,
    effects: found.effects.map((effect) => ({ ...effect })),
    definition: found.definition,
  }));
  api.get(
    '/job-types',
    {
      config: { scope: 'jobs:read' },
      schema: {
        operationId: 'listJobTypes',
        tags: ['jobs'],
        summary: 'What can be submitted?',
        response: { 200: Type.Object({ jobTypes: Type.Array(jobTypeView) }), ...problemResponses },
      },
    },
    async () => ({ jobTypes }),
  );
}
