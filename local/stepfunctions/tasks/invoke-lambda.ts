import { type Answer, postTo } from '../post.ts';
import { TaskError } from './task-call.ts';

export type Invocation = {
  readonly functionName: string;
  readonly payload: string;
  readonly qualifier?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

export type InvocationResult = Answer;

export type LambdaClient = { invoke(invocation: Invocation): Promise<InvocationResult> };

/**
 * Lambda's Invoke API over plain keep-alive HTTP.
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 * There is no timeout here: the task's own ends it, through the signal.
 */
export function createLambdaClient(endpoint: string): LambdaClient {
  const post = postTo(endpoint);

  function invokeOnce({
    functionName,
    payload,
    qualifier,
    headers,
    signal,
  }: Invocation): Promise<InvocationResult> {
    const query = qualifier === undefined ? '' : `?Qualifier=${encodeURIComponent(qualifier)}`;
    return post({
      path: `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations${query}`,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: payload,
      signal,
    });
  }

  return {
    async invoke(invocation) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await invokeOnce(invocation);
        } catch (error) {
          if (!isStaleConnection(error) || attempt >= 3 || invocation.signal.aborted) {
            throw connectionFailed(endpoint, error);
          }
        }
      }
    },
  };
}

/**
 * A kept-alive connection that the other side closed just before it was used again. The function
 * may have run all the same: tasks are invoked at least once.
 */
function isStaleConnection(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ECONNRESET' || error.code === 'EPIPE')
  );
}

/** Retriable by the standard list of Lambda errors, as the AWS SDK's own failure would be. */
function connectionFailed(endpoint: string, error: unknown): TaskError {
  const cause = error instanceof Error ? error.message : String(error);
  return new TaskError(
    'Lambda.SdkClientException',
    `Unable to execute HTTP request: ${cause} (Lambda endpoint ${endpoint})`,
  );
}
