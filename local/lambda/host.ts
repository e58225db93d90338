import { randomUUID } from 'node:crypto';
import { Environment, type EnvironmentAnswer } from './environment.ts';
import { functionArn } from './function-name.ts';
import { type FunctionError, responseTooLarge, timedOut } from './function-error.ts';
import type { LambdaFunction } from './functions.ts';

/** Lambda's limits: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const MAX_PAYLOAD_BYTES = 6_291_456;
const MAX_RESPONSE_BYTES = 6_291_556;
/** An environment in which a function timed out may finish its other invocations, but not for ever. */
const RETIRED_GRACE_MS = 30_000;

export type Outcome =
  | { readonly kind: 'result'; readonly requestId: string; readonly payload: string }
  | { readonly kind: 'function-error'; readonly requestId: string; readonly payload: string }
  | { readonly kind: 'throttled'; readonly requestId: string }
  /** The environment broke, whichever function was the cause: ServiceException, which callers retry. */
  | { readonly kind: 'service-error'; readonly requestId: string; readonly reason: string };

export interface HostOptions {
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly region: string;
  readonly environments: number;
  /** Invocations at once, of all functions together; further ones are throttled. */
  readonly concurrency: number;
  readonly log: (line: string) => void;
}

/** Runs functions in a fixed number of environments, replacing those that broke. */
export class Host {
  readonly #options: HostOptions;
  readonly #environments: Environment[] = [];
  #nextInvocation = 1;
  #inFlight = 0;
  #stopping = false;

  constructor(options: HostOptions) {
    this.#options = options;
    for (let count = 0; count < options.environments; count += 1) this.#addEnvironment();
  }

  /** Settles when the handlers are loaded. */
  async ready(): Promise<void> {
    await Promise.all(this.#environments.map((environment) => environment.ready));
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Runs one invocation to its end or its timeout; never rejects. `payload` is valid JSON text. */
  async invoke(lambda: LambdaFunction, payload: string, clientContext?: unknown): Promise<Outcome> {
    const requestId = randomUUID();
    const environment = this.#leastBusy();
    if (!environment || this.#inFlight >= this.#options.concurrency) {
      return { kind: 'throttled', requestId };
    }
    this.#inFlight += 1;
    const invocation = this.#nextInvocation++;
    const timeout = Promise.withResolvers<'timeout'>();
    const timeoutMs = lambda.timeoutSeconds * 1000;
    const timer = setTimeout(() => timeout.resolve('timeout'), timeoutMs);
    try {
      const answer = await Promise.race([
        environment.run({
          kind: 'invoke',
          invocation,
          file: lambda.file,
          payload,
          context: this.#contextOf(lambda, requestId, clientContext),
          deadline: Date.now() + timeoutMs,
        }),
        timeout.promise,
      ]);
      if (answer !== 'timeout') return describeAnswer(requestId, answer);
      environment.abandon(invocation);
      this.#retire(environment, `${lambda.name} timed out`);
      return functionError(requestId, timedOut(requestId, lambda.timeoutSeconds));
    } finally {
      clearTimeout(timer);
      this.#inFlight -= 1;
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#environments.map((environment) => environment.terminate()));
  }

  #contextOf(lambda: LambdaFunction, requestId: string, clientContext: unknown) {
    return {
      awsRequestId: requestId,
      functionName: lambda.name,
      functionVersion: '$LATEST',
      invokedFunctionArn: functionArn(this.#options.region, lambda.name),
      memoryLimitInMB: String(lambda.memoryMb),
      logGroupName: `/aws/lambda/${lambda.name}`,
      logStreamName: 'local',
      clientContext,
    };
  }

  #leastBusy(): Environment | undefined {
    return this.#environments.reduce<Environment | undefined>(
      (best, one) => (best && best.inFlight <= one.inFlight ? best : one),
      undefined,
    );
  }

  #addEnvironment(): void {
    const files = [...this.#options.functions.values()].map((lambda) => lambda.file);
    const environment = new Environment({ files });
    this.#environments.push(environment);
    void environment.ended.then((reason) => {
      if (this.#stopping || !this.#remove(environment)) return;
      this.#options.log(`an environment ended and is replaced: ${reason}`);
      this.#addEnvironment();
    });
  }

  /** A function that ran over its time may still hold the thread: it gets no more work, and ends when the rest is done. */
  #retire(environment: Environment, reason: string): void {
    if (!this.#remove(environment)) return;
    this.#options.log(`an environment is replaced: ${reason}`);
    this.#addEnvironment();
    const deadline = Date.now() + RETIRED_GRACE_MS;
    const check = setInterval(() => {
      if (environment.inFlight > 0 && Date.now() < deadline) return;
      clearInterval(check);
      void environment.terminate();
    }, 100);
  }

  #remove(environment: Environment): boolean {
    const index = this.#environments.indexOf(environment);
    if (index !== -1) this.#environments.splice(index, 1);
    return index !== -1;
  }
}

function describeAnswer(requestId: string, answer: EnvironmentAnswer): Outcome {
  if (answer.kind === 'lost') {
    return { kind: 'service-error', requestId, reason: answer.reason };
  }
  if (Buffer.byteLength(answer.payload) > MAX_RESPONSE_BYTES) {
    return functionError(requestId, responseTooLarge(MAX_RESPONSE_BYTES));
  }
  const kind = answer.failed ? 'function-error' : 'result';
  return { kind, requestId, payload: answer.payload };
}

const functionError = (requestId: string, error: FunctionError): Outcome => ({
  kind: 'function-error',
  requestId,
  payload: JSON.stringify(error),
});
