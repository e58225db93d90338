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
  'signature-invalid': { status: 401, title: 'The signature does not fit, or is too old' },
  unauthenticated: { status: 401, title: 'A valid API key is needed' },
  'scope-missing': { status: 403, title: 'The API key does not have the scope for this' },
  'tenant-needed': { status: 403, title: 'This is done with a key that belongs to a tenant' },
  'not-found': { status: 404, title: 'There is nothing at this address' },
  'job-not-found': { status: 404, title: 'There is no such job' },
  'upload-not-found': { status: 404, title: 'There is no such upload in parts' },
  'callback-not-found': { status: 404, title: 'Nobody waits for an answer at this address' },
  'replay-target-not-found': {
    status: 404,
    title: 'EventBridge has no such replay, archive or rule',
  },
  'effect-not-found': { status: 404, title: 'There is no such effect' },
  'execution-not-found': { status: 404, title: 'Step Functions has no execution of this job' },
  'map-run-not-found': { status: 404, title: 'The job’s execution has no such Map Run' },
  'key-not-found': { status: 404, title: 'No API key of this prefix is in use' },
  'bulk-operation-not-found': { status: 404, title: 'There is no such bulk operation' },
  'method-not-allowed': { status: 405, title: 'This address does not take this method' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'unique-key-taken': { status: 409, title: 'An open job has this uniqueKey' },
  'job-has-begun': {
    status: 409,
    title: 'A job of this type can be cancelled only before it is first started',
  },
  'replay-name-taken': { status: 409, title: 'There is a replay of this name' },
  'replay-ended': { status: 409, title: 'The replay has ended' },
  'job-already-final': { status: 409, title: 'The job has ended already' },
  'job-not-redrivable': {
    status: 409,
    title: 'Only a FAILED, CANCELLED or EXPIRED job can be redriven',
  },
  'upload-incomplete': { status: 409, title: 'Parts of the upload are not there' },
  'result-not-there': { status: 409, title: 'The job has no result' },
  'effect-not-held': { status: 409, title: 'Only an effect whose outcome is unknown is resolved' },
  'bulk-operation-ended': { status: 409, title: 'The bulk operation has ended' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'input-too-large': { status: 413, title: 'The input is too large to be sent inline' },
  'payload-too-large': { status: 413, title: 'The payload is too large for this job type' },
  'unsupported-media-type': { status: 415, title: 'The body must be application/json' },
  'type-unknown': { status: 422, title: 'There is no such job type' },
  'input-invalid': { status: 422, title: 'The job does not fit its type' },
  'expired-already': { status: 422, title: 'expiresAt has passed' },

  'replay-refused': { status: 422, title: 'EventBridge refuses this replay' },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
  },
  'headers-too-large': { status: 431, title: 'The header fields are too large' },
  'batch-not-stored': { status: 424, title: 'Another job of the atomic batch stands against it' },
  'open-job-quota': { status: 429, title: 'The tenant has as many open jobs as it may have' },
  'rate-limited': { status: 429, title: 'The tenant has sent as many requests as it may send' },
  'internal-error': { status: 500, title: 'The request failed on our side' },
  overloaded: { status: 503, title: 'The service has more to do than it can' },
  unavailable: { status: 503, title: 'The service cannot do this just now' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

/** IANA's registered type for 429s of all kinds (draft-ietf-httpapi-ratelimit-headers). */
export const quotaExceeded = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

export type ProblemCode = keyof typeof problems;

type Members = {
  readonly detail?: string;
  readonly errors?: JsonProblem[];
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

export type ProblemBody = {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail?: string;
  errors?: JsonProblem[];
  requestId?: string;
  [extension: string]: unknown;
};

/** The members as they go out. The type is a name, not an address: nothing needs to be fetched to understand it. */
export function problemBody(problem: Problem, requestId?: string): ProblemBody {
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
