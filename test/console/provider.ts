import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export type Provider = {
  readonly url: string;
  /** Takes requests and drops the connections, until `answer`: nobody knows what became of them. */
  readonly drop: () => void;
  readonly answer: () => void;
};

/** A provider of webhooks that answers as it is told to. */
export async function startProvider(): Promise<Provider> {
  let drops = false;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (drops) request.socket.destroy();
      else response.setHeader('content-type', 'application/json').end('{"taken":true}');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    drop: () => {
      drops = true;
    },
    answer: () => {
      drops = false;
    },
  };
}
