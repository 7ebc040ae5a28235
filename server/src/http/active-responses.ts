import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The responses that a server is about to give. */
export interface ActiveResponses {
  /** Tells every client that its connection ends with the answer it waits for; those to come as well. */
  sayClose(): void;
  /** True when the socket carries an answer that has begun. */
  hasBegun(socket: Socket): boolean;
}

/** Follows the requests of a server. */
export function trackResponses(server: Server): ActiveResponses {
  const active = new Map<ServerResponse, Socket>();
  let isClosing = false;
  // Before the application, which may answer in the same turn.
  server.prependListener('request', (req, res) => {
    active.set(res, req.socket);
    res.once('close', () => active.delete(res));
    if (isClosing) res.setHeader('Connection', 'close');
  });
  return {
    sayClose() {
      isClosing = true;
      for (const res of active.keys()) {
        if (!res.headersSent) res.setHeader('Connection', 'close');
      }
    },
    hasBegun(socket) {
      return [...active].some(([res, used]) => used === socket && res.headersSent);
    },
  };
}
