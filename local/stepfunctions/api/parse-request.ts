import { ApiError } from './api-error.ts';

const TARGET = /^AWSStepFunctions\.(\w+)$/;

/** What a request of the AWS JSON 1.0 protocol asks for. Throws ApiError. */
export function parseRequest(
  method: string | undefined,
  target: string | string[] | undefined,
  body: string,
): { operation: string; input: object } {
  const [, operation] = TARGET.exec(String(target)) ?? [];
  if (method !== 'POST' || operation === undefined) {
    throw new ApiError(
      'UnknownOperationException',
      'A request is a POST with the header X-Amz-Target: AWSStepFunctions.<Operation>.',
    );
  }
  return { operation, input: parseBody(body) };
}

function parseBody(body: string): object {
  let input: unknown;
  try {
    input = body === '' ? {} : JSON.parse(body);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new ApiError('SerializationException', `The request is not JSON: ${problem}`);
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ApiError('SerializationException', 'The request must be a JSON object.');
  }
  return input;
}
