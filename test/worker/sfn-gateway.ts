import { createServer, request as forward } from 'node:http';
import { serve } from '../support/serve.ts';

/** An HTTP proxy before Step Functions that can answer 503 to everything, as in an outage. */
export type Gateway = {
  readonly url: string;
  /** The operations that were asked for, oldest first. */
  readonly operations: string[];
  down(): void;
  up(): void;
};

export async function startGateway(target: string): Promise<Gateway> {
  const operations: string[] = [];
  let isDown = false;
  const server = createServer((incoming, response) => {
    operations.push(String(incoming.headers['x-amz-target']).replace('AWSStepFunctions.', ''));
    if (isDown) {
      incoming.resume();
      response.writeHead(503, { 'content-type': 'application/x-amz-json-1.0' });
      return void response.end('{"__type":"ServiceUnavailable"}');
    }
    const { method, headers, url = '/' } = incoming;
    const outgoing = forward(new URL(url, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  const address = await serve(server);
  return {
    url: address,
    operations,
    down: () => void (isDown = true),
    up: () => void (isDown = false),
  };
}
