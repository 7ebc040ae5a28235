import { connect } from 'node:net';
import { type Server, ServerCredentials } from '@grpc/grpc-js';

/** One in use, and a spare for when that breaks. */
const CONNECTIONS = 2;
const AGAIN_MS = 100;

/**
 * Serves the host over connections to its socket, which are kept open: a guest in a sandbox can make no socket that its
 * host sees. One that ends is opened again, for as long as this process lives.
 */
export function dialHost(server: Server, socketPath: string): void {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const dial = (): void => {
    const socket = connect(socketPath);
    socket.once('connect', () => injector.injectConnection(socket));
    socket.on('error', () => undefined); // the host has closed it, or has too many
    socket.once('close', () => setTimeout(dial, AGAIN_MS));
  };
  for (let count = 0; count < CONNECTIONS; count++) dial();
}
