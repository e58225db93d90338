import { createServer, request as forward } from 'node:http';
import { serve } from '../support/serve.ts';

/**
 * An HTTP proxy before SQS that makes a message received from the queue visible again after a second, where half a minute was asked
 * for: time compressed for what happens when consumers die again and again. Gives its address.
 */
export async function hurriedSqs(target: string, queue: string): Promise<string> {
  const server = createServer((incoming, response) => {
    const isReceive = incoming.headers['x-amz-target'] === 'AmazonSQS.ReceiveMessage';
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const isHurried = isReceive && text.includes(`/${queue}"`);
      const body = isHurried
        ? text.replace(/"VisibilityTimeout":\d+/, '"VisibilityTimeout":1')
        : text;
      const { method, url = '/' } = incoming;
      const headers = { ...incoming.headers, 'content-length': String(Buffer.byteLength(body)) };
      const outgoing = forward(new URL(url, target), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      outgoing.on('error', () => response.destroy());
      outgoing.end(body);
    });
  });
  return await serve(server);
}
