import type { ServerResponse } from 'node:http';

/** Time limits of a client's connection, and the size limit of its headers. */
export interface ConnectionLimits {
  /** To send all headers of a request, counted from its first byte, or from the start of a new connection. */
  headersMs: number;
  /** To send a whole request. */
  requestMs: number;
  /** Between two requests on one connection. Longer than the 60 s of common proxies, so that they close first. */
  keepAliveMs: number;
  /** To finish the TLS handshake. */
  handshakeMs: number;
  /** How often connections are checked; a limit may be exceeded by up to this. */
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

/** The unfinished responses of a server, at most one per connection. */
interface ActiveResponses {
  /** Tracks the response until it closes. */
  add(res: ServerResponse): void;
  /** Sends `Connection: close` with every current response whose head is not sent, and with every later one. */
  sayClose(): void;
}

/** Tracks the responses of a server. */
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
