import { once } from 'node:events';
import { createServer, type ServerOpts, type Socket } from 'node:net';
import { type Server, ServerCredentials } from '@grpc/grpc-js';

/** Where connections of a guest come in. */
export interface BoundedListener {
  /** Cuts all connections. Idempotent. */
  close(): void;
}

/**
 * Listens at a unix socket, for so many connections at once; the next one is closed at once. Agents could open others until
 * the service has no descriptors left, which its neighbours and its API need, too.
 */
export async function listenBounded(
  socketPath: string,
  most: number,
  take: (socket: Socket) => void,
  options: ServerOpts = {},
): Promise<BoundedListener> {
  const sockets = new Set<Socket>();
  const listener = createServer(options, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined); // the other side has gone, or has been cut off
    take(socket);
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

/** Serves gRPC at a unix socket, to so many connections at once. A guest needs one. */
export async function listenForGuest(
  server: Server,
  socketPath: string,
  most: number,
): Promise<BoundedListener> {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return await listenBounded(socketPath, most, (socket) => injector.injectConnection(socket));
}
