import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { TaskError } from './task-call.ts';

export type Invocation = {
  readonly functionName: string;
  readonly payload: string;
  readonly qualifier?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

export type InvocationResult = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
};

export type LambdaClient = { invoke(invocation: Invocation): Promise<InvocationResult> };

/**
 * Lambda's Invoke API over plain keep-alive HTTP.
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 * There is no timeout here: the task's own ends it, through the signal.
 */
export function createLambdaClient(endpoint: string): LambdaClient {
  const base = new URL(endpoint);
  const secure = base.protocol === 'https:';
  const agent = secure
    ? new TlsAgent({ keepAlive: true, maxSockets: Infinity })
    : new Agent({ keepAlive: true, maxSockets: Infinity });
  const send = secure ? tlsRequest : request;

  function invokeOnce(invocation: Invocation): Promise<InvocationResult> {
    const { functionName, payload, qualifier, headers, signal } = invocation;
    const query = qualifier === undefined ? '' : `?Qualifier=${encodeURIComponent(qualifier)}`;
    return new Promise((resolve, reject) => {
      const call = send(
        {
          host: base.hostname,
          port: base.port,
          path: `${base.pathname.replace(/\/$/, '')}/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations${query}`,
          method: 'POST',
          agent,
          signal,
          headers: {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(payload),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              rawHeaders: response.rawHeaders,
              body: Buffer.concat(chunks).toString(),
            });
          });
        },
      );
      call.on('error', reject);
      call.end(payload);
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
