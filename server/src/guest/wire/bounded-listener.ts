import { once } from 'node:events';
import { createServer, type ServerOpts, type Socket } from 'node:net';
import { type Server, ServerCredentials } from '@grpc/grpc-js';

/** A listener for connections of a guest. */
export interface BoundedListener {
  /** Cuts all connections. Idempotent. */
  close(): void;
}

/**
 * Listens at a unix socket, for at most `most` connections at a time; further ones are closed immediately. Without the
 * bound agents could use up the service's descriptors, which other guests and the API need too.
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
    socket.on('error', () => undefined); // the peer has closed the connection, or was cut off
    take(socket);
  });
  listener.maxConnections = most;
  listener.listen(socketPath);
  await once(listener, 'listening');
  listener.on('error', () => undefined); // an error of accepting does not affect later connections
  return {
    close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Serves gRPC at a unix socket, to at most `most` connections at a time. A guest needs one. */
export async function listenForGuest(
  server: Server,
  socketPath: string,
  most: number,
): Promise<BoundedListener> {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return await listenBounded(socketPath, most, (socket) => injector.injectConnection(socket));
}
