// An execution environment: loads handlers and runs them, as Lambda's Node.js runtime does.
import { channel } from 'node:diagnostics_channel';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { EnvironmentData, EnvironmentMessage, InvokeMessage } from './environment-messages.ts';
import { describeError } from './function-error.ts';

type Handler = (event: unknown, context: unknown) => unknown;

const port = parentPort;
if (port === null) throw new Error('environment-thread.ts runs as a worker thread only');
const { files } = workerData as EnvironmentData; // given by environment.ts

/** Those that are loaded, by file: an import costs a tenth of a millisecond also where the module is there already. */
const handlers = new Map<string, Handler>();

/** Says whose invocation a call belongs to, for whoever watches: one thread runs every function. */
const invocations = channel('pawl:lambda:invocation');

const say = (message: EnvironmentMessage): void => port.postMessage(message);

port.on('message', (message: InvokeMessage) => {
  void run(message).then(say);
});
// A handler that cannot be loaded fails its own invocations; here it is only said early.
await Promise.all(
  files.map((file) => loadHandler(file).catch((error: unknown) => console.error(error))),
);
say({ kind: 'ready' });

async function run(message: InvokeMessage): Promise<EnvironmentMessage> {
  try {
    const handler = handlers.get(message.file) ?? (await loadHandler(message.file));
    const event: unknown = JSON.parse(message.payload);
    const context = {
      ...message.context,
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, message.deadline - Date.now()),
    };
    // undefined has no JSON; Lambda's runtime answers null for it
    const result = await invocations.runStores(context, () => handler(event, context));
    const payload = JSON.stringify(result) ?? 'null';
    return { kind: 'done', invocation: message.invocation, failed: false, payload };
  } catch (error) {
    const payload = JSON.stringify(describeError(error));
    return { kind: 'done', invocation: message.invocation, failed: true, payload };
  }
}

async function loadHandler(file: string): Promise<Handler> {
  const module: unknown = await import(pathToFileURL(file).href);
  const handler: unknown =
    typeof module === 'object' && module !== null && Reflect.get(module, 'handler');
  if (typeof handler !== 'function') {
    const error = new Error(`${file} exports no function called handler`);
    error.name = 'Runtime.HandlerNotFound';
    throw error;
  }
  const loaded: Handler = (event, context) => Reflect.apply(handler, undefined, [event, context]);
  handlers.set(file, loaded);
  return loaded;
}
