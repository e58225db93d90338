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
 * There is no timeout here: the task's own ends it, through the signal. A function may run more than once (post.ts).
 */
export function createLambdaClient(endpoint: string): LambdaClient {
  const post = postTo(endpoint);

  return {
    async invoke({ functionName, payload, qualifier, headers, signal }) {
      const query = qualifier === undefined ? '' : `?Qualifier=${encodeURIComponent(qualifier)}`;
      try {
        return await post({
          path: `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations${query}`,
          headers: { 'Content-Type': 'application/json', ...headers },
          body: payload,
          signal,
        });
      } catch (error) {
        throw connectionFailed(endpoint, error);
      }
    },
  };
}

/** Retriable by the standard list of Lambda errors, as the AWS SDK's own failure would be. */
function connectionFailed(endpoint: string, error: unknown): TaskError {
  const cause = error instanceof Error ? error.message : String(error);
  return new TaskError(
    'Lambda.SdkClientException',
    `Unable to execute HTTP request: ${cause} (Lambda endpoint ${endpoint})`,
  );
}
