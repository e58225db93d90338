import { Type } from 'typebox';
import { failureAdvice } from '../../jobs/failure-advice.ts';
import { failureCodes, isFailureCode } from '../../jobs/failure-codes.ts';
import type { Api } from '../api.ts';
import { Problem } from '../problems.ts';
import { problemResponses } from '../schemas.ts';

/** GET /failures/:code: what a failure's code means and what to do about it; a failed job links to it. */
export function getFailure(api: Api): void {
  api.get(
    '/failures/:code',
    {
      schema: {
        operationId: 'getFailureCode',
        tags: ['service'],
        summary: 'What does this failure code mean?',
        security: [],
        params: Type.Object({ code: Type.String({ maxLength: 100 }) }),
        response: {
          200: Type.Object({
            code: Type.String(),
            means: Type.String(),
            retryable: Type.Boolean({
              description: 'a redrive may well succeed without anything being mended first',
            }),
            whatToDo: Type.String(),
          }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const { code } = request.params;
      if (!isFailureCode(code)) throw new Problem('not-found');
      const { means, retryable } = failureCodes[code];
      reply.header('cache-control', 'public, max-age=3600');
      return reply.send({ code, means, retryable, whatToDo: failureAdvice[code] });
    },
  );
}
