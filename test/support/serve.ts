import type { Server } from 'node:http';
import { after } from 'node:test';
import { listen } from '../../local/processes/listen.ts';

/** Lets a test's own server listen on a free loopback port until the file's tests are over; gives its address. */
export async function serve(server: Server): Promise<string> {
  const port = await listen(server, 0);
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}
