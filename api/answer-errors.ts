import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { databaseVerdict } from '../jobs/classify.ts';
import { Transient } from '../jobs/failure.ts';
import { Problem, problemBody, type ProblemCode, problemMediaType } from './problems.ts';

/** What Fastify's own errors mean here (https://fastify.dev/docs/latest/Reference/Errors/). */
const fastifyErrors: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_EMPTY_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed-http',
  FST_ERR_BAD_URL: 'not-found',
  FST_ERR_MAX_PARAM_LENGTH: 'not-found',
  FST_ERR_NOT_FOUND: 'not-found',
  FST_ERR_HANDLER_TIMEOUT: 'unavailable',
  FST_ERR_VALIDATION: 'invalid-request',
};

/** The one place where an error becomes an answer. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  sendProblem(toProblem(error, request), request, reply);
}

/** As bytes: to a text Fastify would add a charset, which problem+json does not have. */
export function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .code(problem.statusCode)
    .headers(problem.headers)
    .header('x-request-id', request.id) // no hook has run where the address could not be read
    .type(problemMediaType)
    .send(Buffer.from(JSON.stringify(problemBody(problem, request.id))));
}

/** What is told of an error: itself where it is meant to be told. What is our fault is logged, and told without a word of it. */
export function toProblem(error: unknown, request: FastifyRequest): Problem {
  const problem = error instanceof Problem ? error : problemOf(error, request);
  if (problem.statusCode >= 500) {
    request.log.error({ err: error, problem: problem.problemCode }, 'a request failed');
  }
  return problem;
}

function problemOf(error: unknown, request: FastifyRequest): Problem {
  const known = fastifyErrors[(error as Partial<FastifyError>).code ?? ''];
  if (known === 'body-too-large') {
    const { bodyLimit } = request.routeOptions;
    return new Problem(known, {
      detail: `at most ${bodyLimit} bytes are taken`,
      uploads: '/uploads',
    });
  }
  if (
    known === 'unavailable' ||
    error instanceof Transient ||
    databaseVerdict(error)?.kind === 'transient'
  ) {
    return new Problem(
      'unavailable',
      { detail: 'nothing was promised; try again' },
      { 'retry-after': '2' },
    );
  }
  return new Problem(known ?? 'internal-error');
}
