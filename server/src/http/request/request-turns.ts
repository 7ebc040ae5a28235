import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PIPELINED_REQUESTS } from '../../model/limits/http-limits.ts';

/** So many requests that had to wait begin in one round of the event loop, of all connections together. */
const BEGUN_A_ROUND = 8;

type Handler = (req: IncomingMessage, res: ServerResponse) => void;
type Exchange = [req: IncomingMessage, res: ServerResponse];

/** The requests of one connection: one is being handled, the others came before its answer. */
interface Turns {
  active: Exchange;
  waiting: Exchange[];
  /** What comes from now on is not read any more: the last answer closes the connection. */
  isEnding: boolean;
}

/** Hands over the requests of connections. */
export interface RequestTurns {
  /** What a server gives its requests to. */
  handle: Handler;
  /**
   * Has the last request of the connection that came whole close it, because what comes behind it is no request.
   * False when no request is left whose answer could be taken for that of what is wrong.
   */
  endBehind(socket: Socket): boolean;
}

/**
 * Hands over one request of a connection at a time. Node would have all that a client sends without waiting for an
 * answer (pipelining) handled at once, so that some hundred connections keep everybody else waiting. What had to wait
 * begins a few at a time, connection by connection; a request that came alone begins at once.
 * Beyond `limit` that wait, requests are dropped, and the last answer closes the connection. Clients have to expect
 * that, and know that what was not answered was not handled (RFC 9112, 9.3.2).
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
      // What is wrong may be in the body of the last one, which then is no request either.
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
  // What still comes is dropped before it is parsed: a request costs memory for as long as its connection is open. It
  // is read, so that the client's end is noticed, and its last answers are not lost in the reset for unread bytes.
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
}

/** A connection that has ended, or will with what was said, has nobody for another answer. */
function isOver(socket: Socket): boolean {
  return socket.destroyed || socket.writableEnded;
}
