import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

import { type Server, ServerCredentials } from '@grpc/grpc-js';

/** Where a guest's connections to its host come in. */
export interface HostListener {
  /** Cuts all connections. Idempotent. */
  close(): void;
}

/**
 * Serves gRPC at a unix socket, to so many connections at once; the next one is closed at once. A guest needs one: agents
 * could open others until the service has no descriptors left, which its neighbours and its API need, too.
 */
export async function listenForGuest(
  server: Server,
  socketPath: string,
  most: number,
): Promise<HostListener> {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined); // the guest has gone, or has been cut off
    injector.injectConnection(socket);
  });
  listener.maxConnections = most;
  listener.listen(socketPath);
  await once(listener, 'listening');
  listener.on('error', () => undefined); // of accepting: there will be others
  return {
    close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
