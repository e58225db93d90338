// Preloaded into every process of a Pawl (NODE_OPTIONS=--import …): counts the HTTP requests that it sends, by AWS action
// or path, and leaves them in HTTP_COUNTS_DIR when the process ends.
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { ClientRequest } from 'node:http';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const directory = process.env['HTTP_COUNTS_DIR'];
const counts: Record<string, number> = {};

subscribe('http.client.request.start', (message) => {
  const request =
    typeof message === 'object' && message !== null && Reflect.get(message, 'request');
  if (!(request instanceof ClientRequest)) return;
  const target = request.getHeader('x-amz-target');
  const name =
    typeof target === 'string'
      ? target
      : `${request.method} ${request.path.replace(/\/functions\/[^/]+/, '/functions/*')}`;
  counts[name] = (counts[name] ?? 0) + 1;
});
process.on('exit', () => {
  if (directory === undefined || Object.keys(counts).length === 0) return;
  writeFileSync(join(directory, `${process.pid}-${threadId}.json`), JSON.stringify(counts));
});
