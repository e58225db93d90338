/** A function's error as Lambda's runtime describes it: https://docs.aws.amazon.com/lambda/latest/dg/nodejs-exceptions.html */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** What was thrown need not be an Error; Lambda names its type then. */
export function describeError(error: unknown): FunctionError {
  if (error instanceof Error) {
    return {
      errorType: error.name,
      errorMessage: error.message,
      trace: (error.stack ?? '').split('\n'),
    };
  }
  return { errorType: typeof error, errorMessage: String(error), trace: [] };
}

export const timedOut = (requestId: string, timeoutSeconds: number): FunctionError => ({
  errorType: 'Sandbox.Timedout',
  errorMessage: `RequestId: ${requestId} Error: Task timed out after ${timeoutSeconds.toFixed(2)} seconds`,
});

export const responseTooLarge = (limitBytes: number): FunctionError => ({
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: `Response payload size exceeded maximum allowed payload size (${limitBytes} bytes).`,
});
