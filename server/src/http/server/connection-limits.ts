import type { ServerResponse } from 'node:http';

/** How long a client may take, and how much it may send before its body. */
export interface ConnectionLimits {
  /** To send all headers of a request, counted from its first byte, for a new connection from its beginning. */
  headersMs: number;
  /** To send a whole request. */
  requestMs: number;
  /** Between two requests on one connection. Longer than the 60 s of common proxies, so that they close first. */
  keepAliveMs: number;
  /** To finish the TLS handshake. */
  handshakeMs: number;
  /** How often connections are looked at; a limit is kept to within this. */
  checkMs: number;
  /** All headers of a request together: room for a token with many groups. */
  maxHeaderBytes: number;
}

/** The limits of the API's listener. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 15_000,
  requestMs: 300_000,
  keepAliveMs: 65_000,
  handshakeMs: 10_000,
  checkMs: 5_000,
  maxHeaderBytes: 32 * 1024,
};

/** The responses that a server is about to give, one for a connection at most. */
interface ActiveResponses {
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
