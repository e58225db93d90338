// What the host and an environment's thread say to each other.

export interface InvokeMessage {
  readonly kind: 'invoke';
  readonly invocation: number;
  readonly file: string;
  /** The event as JSON text. */
  readonly payload: string;
  readonly context: {
    readonly awsRequestId: string;
    readonly functionName: string;
    readonly functionVersion: string;
    readonly invokedFunctionArn: string;
    readonly memoryLimitInMB: string;
    readonly logGroupName: string;
    readonly logStreamName: string;
    readonly clientContext: unknown;
  };
  /** Milliseconds since 1970, as `Date.now()` gives them. */
  readonly deadline: number;
}

/** To the thread at its start: the handler files to load before the first invocation. */
export interface EnvironmentData {
  readonly files: readonly string[];
}

export type EnvironmentMessage =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'done';
      readonly invocation: number;
      readonly failed: boolean;
      /** The handler's result, or its error as Lambda's Node runtime writes it, as JSON text. */
      readonly payload: string;
    };
