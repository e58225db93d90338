// A preload (`NODE_OPTIONS=--import=…`, record-calls.ts): notes each signed AWS call of a process in CALLS_DIR, one
// line for each component, action and resource, written before the request is: a killed process has noted what it sent.
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { ClientRequest } from 'node:http';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { actionOf, type RecordedCall } from './aws-actions.ts';

const scripts: readonly (readonly [string, string])[] = [
  ['/api/server.ts', 'api'],
  ['/worker/server.ts', 'worker'],
  ['/local/stepfunctions/server.ts', 'step-functions'],
];
const ofThisScript = scripts.find(([end]) => process.argv[1]?.endsWith(end))?.[1];

/** Of the invocation that a call belongs to: one thread runs every function. */
const invocation = new AsyncLocalStorage<unknown>();
channel('pawl:lambda:invocation').bindStore(invocation);

const folder = process.env['CALLS_DIR'];
if (folder !== undefined) {
  const file = join(folder, `${process.pid}-${threadId}.jsonl`);
  const seen = new Set<string>();
  subscribe('http.client.request.created', (message) => {
    const request: unknown = Reflect.get(Object(message), 'request');
    if (request instanceof ClientRequest) {
      beforeItIsSent(request, (body) => note(file, seen, request, body));
    }
  });
}

function component(): string | undefined {
  const store = invocation.getStore();
  const name: unknown =
    typeof store === 'object' && store !== null ? Reflect.get(store, 'functionName') : undefined;
  return typeof name === 'string' ? name.replace(/^pawl-/, '') : ofThisScript;
}

function note(file: string, seen: Set<string>, request: ClientRequest, body: string): void {
  const scope = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(
    String(request.getHeader('authorization') ?? ''),
  );
  const caller = component();
  if (scope?.[1] === undefined || caller === undefined) return;
  const call: RecordedCall = {
    component: caller,
    ...actionOf({
      service: scope[1],
      method: request.method,
      path: request.path,
      target: String(request.getHeader('x-amz-target') ?? ''),
      body,
    }),
  };
  const line = `${JSON.stringify(call)}\n`;
  if (seen.has(line)) return;
  seen.add(line);
  appendFileSync(file, line);
}

/** Calls back with what a request of a JSON service says; an S3 request's bytes say nothing of its action. */
function beforeItIsSent(request: ClientRequest, callback: (body: string) => void): void {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (request.getHeader('x-amz-target') === undefined) return;
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const before = (name: 'write' | 'end', action: () => void): void => {
    const original: unknown = Reflect.get(request, name);
    if (typeof original !== 'function') return;
    Reflect.set(request, name, (...args: unknown[]): unknown => {
      keep(args[0]);
      action();
      return Reflect.apply(original, request, args);
    });
  };
  before('write', () => undefined);
  before('end', () => callback(Buffer.concat(chunks).toString('utf8')));
}
