import { createServer, request as forward } from 'node:http';
import { after } from 'node:test';

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
  return {
    url: `http://127.0.0.1:${address.port}`,
    operations,
    down: () => void (isDown = true),
    up: () => void (isDown = false),
  };
}
