import { connect, createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/** Whether nothing listens on the loopback port right now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: LOOPBACK, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/**
 * Whether somebody takes connections on the loopback port. It asks without taking the port for a moment, as isPortFree
 * does: whoever is about to listen there would find it in use.
 */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK });
    const settle = (listening: boolean): void => {
      socket.destroy();
      resolve(listening);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

/** Below those that a system gives to outgoing connections: Linux from 32,768, macOS and Windows from 49,152. */
const firstPort = 20_000;
const endOfPorts = 32_768;

/**
 * Where this process looks next. Processes that look at the same time begin apart: else one's asking, which takes a port for a
 * moment, or its choice could be what another one has just chosen and not yet taken.
 */
let next = (process.pid * 16) % (endOfPorts - firstPort);

/**
 * A loopback port on which nothing listens, another one at each call; some other server may take it before its user does,
 * but no connection that anybody makes in the meantime.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = firstPort + next;
    next = (next + 1) % (endOfPorts - firstPort);
    if (await isPortFree(port)) return port;
  }
}
