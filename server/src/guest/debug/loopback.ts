import type { Server } from 'node:net';

/** Debuggers are reached from this machine only. */
export const LOOPBACK = '127.0.0.1';

/** Listens there on the port (0: a free one). Resolves with the port; rejects with what kept the server from listening. */
export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port, exclusive: true }, resolve);
  });
  server.on('error', () => undefined); // of single connections
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
