import { type Server, ServerCredentials } from '@grpc/grpc-js';

import { type BoundedListener, listenBounded } from './bounded-listener.ts';

/** Serves gRPC at a unix socket, to so many connections at once. A guest needs one. */
export async function listenForGuest(
  server: Server,
  socketPath: string,
  most: number,
): Promise<BoundedListener> {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return await listenBounded(socketPath, most, (socket) => injector.injectConnection(socket));
}
