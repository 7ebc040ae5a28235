import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The responses that a server is about to give, one for a connection at most. */
export interface ActiveResponses {
  /** From now on until it is closed. */
  add(res: ServerResponse): void;
  /** Tells every client that its connection ends with the answer it waits for; those to come as well. */
  sayClose(): void;
  /** The response that the socket is to carry, or carries. */
  on(socket: Socket): ServerResponse | undefined;
}

/** Follows the responses of a server. */
export function trackResponses(): ActiveResponses {
  const active = new Map<Socket, ServerResponse>();
  let isClosing = false;
  return {
    add(res) {
      const { socket } = res.req;
      active.set(socket, res);
      res.once('close', () => active.delete(socket));
      if (isClosing) res.setHeader('Connection', 'close');
    },
    sayClose() {
      isClosing = true;
      for (const res of active.values()) {
        if (!res.headersSent) res.setHeader('Connection', 'close');
      }
    },
    on: (socket) => active.get(socket),
  };
}
