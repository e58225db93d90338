import type { JsonProblem } from '../jobs/exact-json.ts';

/** Every problem this API answers with (RFC 9457): the closed list. */
export const problems = {
  'invalid-json': { status: 400, title: 'The body is not JSON' },
  'invalid-request': { status: 400, title: 'The request does not have the shape this call takes' },
  'unstorable-value': {
    status: 400,
    title: 'The body holds values that would not come back unchanged',
  },
  'invalid-idempotency-key': { status: 400, title: 'The Idempotency-Key cannot be used' },
  'malformed-http': { status: 400, title: 'The request is not HTTP' },
  unauthenticated: { status: 401, title: 'A valid API key is needed' },
  'scope-missing': { status: 403, title: 'The API key does not have the scope for this' },
  'tenant-needed': { status: 403, title: 'This is done with a key that belongs to a tenant' },
  'not-found': { status: 404, title: 'There is nothing at this address' },
  'job-not-found': { status: 404, title: 'There is no such job' },
  'method-not-allowed': { status: 405, title: 'This address does not take this method' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'unique-key-taken': { status: 409, title: 'An open job has this uniqueKey' },
  'job-already-final': { status: 409, title: 'The job has ended already' },
  'job-not-redrivable': {
    status: 409,
    title: 'Only a FAILED, CANCELLED or EXPIRED job can be redriven',
  },
  'result-not-there': { status: 409, title: 'The job has no result' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'input-too-large': { status: 413, title: 'The input is too large to be sent inline' },
  'payload-too-large': { status: 413, title: 'The payload is too large for this job type' },
  'unsupported-media-type': { status: 415, title: 'The body must be application/json' },
  'type-unknown': { status: 422, title: 'There is no such job type' },
  'input-invalid': { status: 422, title: 'The job does not fit its type' },
  'expired-already': { status: 422, title: 'expiresAt has passed' },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
  },
  'headers-too-large': { status: 431, title: 'The header fields are too large' },
  'internal-error': { status: 500, title: 'The request failed on our side' },
  unavailable: { status: 503, title: 'The service cannot do this just now' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type ProblemCode = keyof typeof problems;

type Members = {
  readonly detail?: string;
  readonly errors?: readonly JsonProblem[];
  readonly [extension: string]: unknown;
};

/** Thrown by handlers and hooks; the error handler answers with it. Nothing in it may be secret. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly problemCode: ProblemCode;
  readonly statusCode: number;
  readonly members: Members;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    problemCode: ProblemCode,
    members: Members = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(members.detail ?? problems[problemCode].title);
    this.problemCode = problemCode;
    this.statusCode = problems[problemCode].status;
    this.members = members;
    this.headers = headers;
  }
}

/** The members as they go out. The type is a name, not an address: nothing needs to be fetched to understand it. */
export function problemBody(problem: Problem, requestId?: string): Record<string, unknown> {
  const { title, status } = problems[problem.problemCode];
  return {
    type: `urn:pawl:problem:${problem.problemCode}`,
    title,
    status,
    code: problem.problemCode,
    ...problem.members,
    ...(requestId === undefined ? {} : { requestId }),
  };
}

export const problemMediaType = 'application/problem+json';
