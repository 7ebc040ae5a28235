import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** What is left of a connection whose request asks for another protocol. */
export interface Upgrade {
  req: IncomingMessage;
  socket: Duplex;
  /** Bytes that came behind the request. */
  head: Buffer;
}

const upgrades = new WeakMap<ServerResponse, Upgrade>();

/**
 * Passes requests for a WebSocket to the same listener as all others, so that a WebSocket is let in by the same checks.
 * A route that takes the connection over asks for it with `upgradeOf`; every other one responds as usual, and the
 * connection ends with its response: node reads no further request from it.
 */
export function passUpgrades(server: Server, handle: RequestListener): void {
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    const res = new ServerResponse(req);
    socket.on('error', () => socket.destroy());
    try {
      // Node types the parameter as a net.Socket; of a TLS connection it is a TLSSocket, which is one.
      res.assignSocket(socket as Parameters<typeof res.assignSocket>[0]);
    } catch {
      // A request before it on this connection has no response yet: such a client expects to lose it (RFC 9112, 9.3.2).
      socket.destroy();
      return;
    }
    res.setHeader('Connection', 'close');
    // No time limit of the server counts for a connection that it has given away: it is closed, not only ended.
    res.once('finish', () => (socket as Socket).destroySoon());
    upgrades.set(res, { req, socket, head });
    handle(req, res);
  });
}

/** The connection of a request for a WebSocket, to be taken over; undefined: the request asks for none. */
export function upgradeOf(res: ServerResponse): Upgrade | undefined {
  return upgrades.get(res);
}

/** Takes the connection from the response, which is over with it. */
export function takeOver(res: ServerResponse, { socket }: Upgrade): void {
  res.statusCode = 101;
  res.removeAllListeners('finish');
  res.detachSocket(socket as Parameters<typeof res.detachSocket>[0]);
  socket.once('close', () => res.emit('close'));
}

/** Whether a request asks for a WebSocket. One with a body does not: the body would be lost (RFC 6455, 4.1). */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return method === 'GET' && !hasBody && headers.upgrade?.toLowerCase() === 'websocket';
}
