import {
  RedriveExecutionCommand,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { text } from 'node:stream/consumers';
import { Sha256 } from './sha256.ts';
import { longestTryMs } from './step-functions-calls.ts';

type Command = { readonly input: object };

/** Answers a hot action with what the service gave; undefined where the SDK has to do it. */
type DirectCall = (command: Command) => Promise<object | undefined>;

type Service = {
  /** As SigV4 names it. */
  readonly name: string;
  readonly target: string;
  /** By the SDK's command what is made of the answer: JSON has no dates. Other commands go the SDK's whole way. */
  readonly actions: ReadonlyMap<unknown, Action>;
};

type Action = { readonly name: string; readonly read?: (answer: Answer) => object };

type Answer = Readonly<Record<string, unknown>>;

const sqsService: Service = {
  name: 'sqs',
  target: 'AmazonSQS',
  actions: new Map<unknown, Action>([
    [SendMessageBatchCommand, { name: 'SendMessageBatch' }],
    [ReceiveMessageCommand, { name: 'ReceiveMessage' }],
    [DeleteMessageBatchCommand, { name: 'DeleteMessageBatch' }],
  ]),
};

const stepFunctions: Service = {
  name: 'states',
  target: 'AWSStepFunctions',
  actions: new Map<unknown, Action>([
    [
      StartExecutionCommand,
      {
        name: 'StartExecution',
        read: ({ startDate, ...answer }) => ({
          ...answer,
          startDate: new Date(Number(startDate) * 1_000),
        }),
      },
    ],
    [
      RedriveExecutionCommand,
      {
        name: 'RedriveExecution',
        read: ({ redriveDate }) => ({ redriveDate: new Date(Number(redriveDate) * 1_000) }),
      },
    ],
  ]),
};

/**
 * Answers a client's hot actions in place of its `send`: one signed POST in AWS's JSON 1.0 protocol, with the client's own
 * endpoint, credentials, connections and timeouts (https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html).
 * Of the 0.63 ms of CPU that a call took, serialisers, endpoint rules and retry bookkeeping were 0.33; putting the middleware
 * together anew for each call takes 13 µs more, and several times that where the process was idle before.
 *
 * Only a success is answered here. Whatever else comes, the call begins again on the SDK's whole way, which knows the
 * errors and when to try again; the actions may be sent twice, as with every retry. Where no answer begins in time, that is
 * thrown as it is: whoever waits has waited long enough. One that stops in its middle is given up after `longestMs`, for the
 * client's timeouts end with the answer's head, and is asked for again. The first call of a client shows where its endpoint is.
 * A hot action hears no `abortSignal`, and no middleware that is added to the client sees it.
 */
export function withDirectSqs(client: SQSClient, longestMs = longestTryMs): SQSClient {
  const { call, learn } = directCalls(client.config, sqsService, longestMs);
  client.middlewareStack.add((next) => watched(next, learn), whenBuilt);
  return answering(client, call);
}

/** As withDirectSqs, for StartExecution and RedriveExecution. */
export function withDirectStepFunctions(client: SFNClient, longestMs = longestTryMs): SFNClient {
  const { call, learn } = directCalls(client.config, stepFunctions, longestMs);
  client.middlewareStack.add((next) => watched(next, learn), whenBuilt);
  return answering(client, call);
}

const whenBuilt = { step: 'finalizeRequest', priority: 'low', name: 'learnEndpoint' } as const;

/** The client with a `send` that asks `call` first. */
function answering<Client extends { send: unknown }>(client: Client, call: DirectCall): Client {
  const send: unknown = client.send;
  if (typeof send !== 'function') throw new Error('not a client of the AWS SDK');
  const wholeWay = (...args: unknown[]): unknown => Reflect.apply(send, client, args);
  return Object.assign(client, {
    send: async (command: Command, ...options: unknown[]): Promise<unknown> => {
      const hasCallback = options.some((option) => typeof option === 'function');
      const answer = hasCallback ? undefined : await call(command);
      return answer === undefined
        ? await wholeWay(command, ...options)
        : { ...answer, $metadata: {} };
    },
  });
}

/** Shows the stack's request on its way. */
const watched =
  <Args extends { request: unknown }, Output>(
    next: (args: Args) => Promise<Output>,
    learn: (request: unknown) => void,
  ) =>
  async (args: Args): Promise<Output> => {
    learn(args.request);
    return await next(args);
  };

type Config = Pick<
  SQSClient['config'] | SFNClient['config'],
  'credentials' | 'region' | 'requestHandler'
>;

function directCalls(config: Config, service: Service, longestMs: number) {
  const { credentials, region, requestHandler } = config;
  const signer = new SignatureV4({ service: service.name, credentials, region, sha256: Sha256 });
  let endpoint:
    | Pick<HttpRequest, 'protocol' | 'hostname' | 'port' | 'path' | 'headers'>
    | undefined;

  const send = async (action: string, input: object): Promise<unknown> => {
    if (endpoint === undefined) return undefined;
    const { protocol, hostname, port, path, headers } = endpoint;
    const request = new HttpRequest({
      method: 'POST',
      protocol,
      hostname,
      ...(port === undefined ? {} : { port }),
      path,
      headers: {
        host: headers['host'] ?? hostname,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `${service.target}.${action}`,
      },
      body: JSON.stringify(input),
    });
    const signed = HttpRequest.clone(await signer.sign(request));
    return await withinMs(longestMs, async (abortSignal) => {
      const { response } = await requestHandler.handle(signed, { abortSignal });
      const body = await text(response.body);
      return response.statusCode === 200 ? JSON.parse(body) : undefined;
    });
  };
  const call: DirectCall = async (command) => {
    const action = service.actions.get(command.constructor);
    if (action === undefined) return undefined;
    try {
      const answer = await send(action.name, command.input);
      if (typeof answer !== 'object' || answer === null) return undefined;
      return action.read?.({ ...answer }) ?? answer;
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') throw error;
      return undefined;
    }
  };
  return {
    call,
    learn: (request: unknown): void => {
      if (HttpRequest.isInstance(request)) endpoint ??= request;
    },
  };
}

/** As AbortSignal.timeout, whose timer cannot be cleared: each call would make an error of it long after it was answered. */
async function withinMs<Result>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError'));
  }, ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
