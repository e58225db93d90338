import type { HttpAnswer } from './sdk-metadata.ts';

/** A service's answer, or its error, as the AWS SDK gives it. */
export type SdkResult =
  | {
      readonly kind: 'answered';
      readonly output: Readonly<Record<string, unknown>>;
      readonly http: HttpAnswer;
    }
  | {
      readonly kind: 'refused';
      /** The error's code or class name: `NoSuchKey`, `QueueDoesNotExist`, … */
      readonly name: string;
      /** Whether the service's model has this error. */
      readonly isModelled: boolean;
      readonly message: string;
      readonly status: number;
      readonly requestId: string;
    }
  /** No answer came. */
  | { readonly kind: 'unreachable'; readonly message: string };

export type SdkCall = {
  readonly service: SdkService;
  /** `sendMessage`, `getObject`, … */
  readonly action: string;
  readonly parameters: object;
  readonly signal: AbortSignal;
};

/** The services whose clients are installed. */
export type SdkService = 's3' | 'sqs' | 'eventbridge';

export type SdkCaller = {
  /** Undefined for an action that the service does not have. */
  call(call: SdkCall): Promise<SdkResult | undefined>;
};

type Sent = { $metadata: { httpStatusCode?: number; requestId?: string } };
type Client = { send(command: unknown, options: { abortSignal: AbortSignal }): Promise<Sent> };
type Loaded = { readonly client: Client; readonly sdk: Readonly<Record<string, unknown>> };

/**
 * Calls AWS services through the clients that are installed; each is loaded when it is first
 * needed. Without an endpoint the SDK's own configuration holds.
 */
export function createSdkCaller(
  endpoints: Readonly<Partial<Record<SdkService, string>>>,
  region: string,
): SdkCaller {
  const loaded = new Map<SdkService, Promise<Loaded>>();

  function configuration(service: SdkService): object {
    const endpoint = endpoints[service];
    if (endpoint === undefined) return { region };
    return {
      region,
      endpoint,
      ...(service === 's3' && { forcePathStyle: true }),
      ...(service === 'sqs' && { useQueueUrlAsEndpoint: false }),
      // A stand-in wants a signature, not a secret.
      ...(process.env['AWS_ACCESS_KEY_ID'] === undefined && {
        credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      }),
    };
  }

  async function load(service: SdkService): Promise<Loaded> {
    switch (service) {
      case 's3': {
        const sdk = await import('@aws-sdk/client-s3');
        return { sdk, client: anyCommand(new sdk.S3Client(configuration(service))) };
      }
      case 'sqs': {
        const sdk = await import('@aws-sdk/client-sqs');
        return { sdk, client: anyCommand(new sdk.SQSClient(configuration(service))) };
      }
      case 'eventbridge': {
        const sdk = await import('@aws-sdk/client-eventbridge');
        return { sdk, client: anyCommand(new sdk.EventBridgeClient(configuration(service))) };
      }
    }
  }

  return {
    async call({ service, action, parameters, signal }) {
      let present = loaded.get(service);
      if (!present) loaded.set(service, (present = load(service)));
      const { client, sdk } = await present;
      const Command = sdk[`${action.charAt(0).toUpperCase()}${action.slice(1)}Command`];
      if (!isCommand(Command)) return undefined;
      const command = new Command(parameters);
      const headers = captureHeaders(command);
      try {
        const { $metadata, ...output } = await client.send(command, { abortSignal: signal });
        const { httpStatusCode: status = 200, requestId = '' } = $metadata;
        return { kind: 'answered', output, http: { status, requestId, headers } };
      } catch (error) {
        return failureOf(error, sdk);
      }
    },
  };
}

/** The SDK's types allow a client only its own commands; which one is known only when it is called. */
function anyCommand(client: { send(command: never, options: never): Promise<unknown> }): Client {
  return client as unknown as Client;
}

type Command = {
  middlewareStack: {
    add(
      middleware: (
        next: (args: unknown) => Promise<unknown>,
      ) => (args: unknown) => Promise<unknown>,
      options: object,
    ): void;
  };
};

function isCommand(value: unknown): value is new (parameters: object) => Command {
  return typeof value === 'function';
}

/** The answer's headers, which the SDK does not hand out; filled when the answer is there. */
function captureHeaders(command: Command): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response =
        typeof result === 'object' && result !== null && 'response' in result
          ? result.response
          : undefined;
      if (typeof response === 'object' && response !== null && 'headers' in response) {
        Object.assign(headers, response.headers);
      }
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'captureHeaders' },
  );
  return headers;
}

function failureOf(error: unknown, sdk: Readonly<Record<string, unknown>>): SdkResult {
  if (!(error instanceof Error)) return { kind: 'unreachable', message: String(error) };
  const metadata =
    '$metadata' in error && typeof error.$metadata === 'object' && error.$metadata !== null
      ? error.$metadata
      : {};
  const status = 'httpStatusCode' in metadata ? metadata.httpStatusCode : undefined;
  if (typeof status !== 'number') return { kind: 'unreachable', message: error.message };
  const requestId = 'requestId' in metadata ? String(metadata.requestId) : '';
  return {
    kind: 'refused',
    name: error.name,
    isModelled: sdk[error.name] !== undefined,
    message: error.message,
    status,
    requestId,
  };
}
