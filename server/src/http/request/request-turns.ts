import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PIPELINED_REQUESTS } from '../../model/limits/http-limits.ts';

/** At most 8 delayed requests start in one round of the event loop, over all connections together. */
const BEGUN_A_ROUND = 8;

type Handler = (req: IncomingMessage, res: ServerResponse) => void;
type Exchange = [req: IncomingMessage, res: ServerResponse];

/** The requests of one connection: one is being handled, the others arrived before its response. */
interface Turns {
  active: Exchange;
  waiting: Exchange[];
  /** Nothing more is read from this connection: its last response closes it. */
  isEnding: boolean;
}

/** Serialises the requests of each connection. */
export interface RequestTurns {
  /** The request listener of the server. */
  handle: Handler;
  /**
   * Makes the response to the last complete request close the connection, because the bytes after it are no request.
   * Returns false when no request is left whose response could be mistaken for the one to the bad bytes.
   */
  endBehind(socket: Socket): boolean;
}

/**
 * Handles one request of a connection at a time. Node would handle all requests that a client sends without waiting for
 * a response (pipelining) at once, so that some hundred connections could block every other client. Delayed requests
 * start a few at a time, one connection after another; a request that came alone starts at once.
 * When more than `limit` requests wait, further ones are dropped, and the last response closes the connection. Clients
 * must expect that, and know that a request without a response was not handled (RFC 9112, 9.3.2).
 */
export function takeTurns(handle: Handler, limit = PIPELINED_REQUESTS): RequestTurns {
  const connections = new WeakMap<Socket, Turns>();
  const ready: [Socket, Turns][] = [];
  let round: NodeJS.Immediate | undefined;

  function begin(turns: Turns): void {
    const [req, res] = turns.active;
    const { socket } = req;
    res.once('close', () => {
      if (turns.waiting.length === 0) connections.delete(socket);
      else {
        ready.push([socket, turns]);
        round ??= setImmediate(beginRound);
      }
    });
    handle(req, res);
  }

  function beginRound(): void {
    round = undefined;
    for (const [socket, turns] of ready.splice(0, BEGUN_A_ROUND)) {
      const next = turns.waiting.shift();
      if (!next || isOver(socket)) continue;
      turns.active = next;
      begin(turns);
    }
    if (ready.length > 0) round ??= setImmediate(beginRound);
  }

  return {
    handle(req, res) {
      const { socket } = req;
      if (isOver(socket)) return;
      const turns = connections.get(socket);
      if (turns === undefined) {
        const fresh: Turns = { active: [req, res], waiting: [], isEnding: false };
        connections.set(socket, fresh);
        begin(fresh);
      } else if (!turns.isEnding && turns.waiting.length < limit) {
        turns.waiting.push([req, res]);
      } else if (!turns.isEnding) {
        end(turns, socket);
      }
    },
    endBehind(socket) {
      const turns = connections.get(socket);
      if (turns === undefined || turns.isEnding) return turns !== undefined;
      // The bad bytes may be in the body of the last request, which is then incomplete.
      if (turns.waiting.at(-1)?.[0].complete === false) turns.waiting.pop();
      const [req, res] = turns.active;
      if (turns.waiting.length === 0 && !req.complete) {
        if (res.headersSent) socket.destroy();
        return res.headersSent;
      }
      end(turns, socket);
      return true;
    },
  };
}

function end(turns: Turns, socket: Socket): void {
  turns.isEnding = true;
  const [, last] = turns.waiting.at(-1) ?? turns.active;
  if (last.headersSent) last.once('close', () => socket.end());
  else last.setHeader('Connection', 'close');
  // Further bytes are dropped before they are parsed: a request uses memory for as long as its connection is open. They
  // are still read, so that the client's end is noticed, and a reset for unread bytes does not lose the last responses.
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
}

/** True when the connection has ended, or is about to end, so that no further response can be sent on it. */
function isOver(socket: Socket): boolean {
  return socket.destroyed || socket.writableEnded;
}
