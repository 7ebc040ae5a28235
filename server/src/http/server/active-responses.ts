import type { ServerResponse } from 'node:http';

/** The responses that a server is about to give, one for a connection at most. */
export interface ActiveResponses {
  /** From now on until it is closed. */
  add(res: ServerResponse): void;
  /** Tells every client that its connection ends with the answer it waits for; those to come as well. */
  sayClose(): void;
}

/** Follows the responses of a server. */
export function trackResponses(): ActiveResponses {
  const active = new Set<ServerResponse>();
  let isClosing = false;
  return {
    add(res) {
      active.add(res);
      res.once('close', () => active.delete(res));
      if (isClosing) res.setHeader('Connection', 'close');
    },
    sayClose() {
      isClosing = true;
      for (const res of active) {
        if (!res.headersSent) res.setHeader('Connection', 'close');
      }
    },
  };
}
