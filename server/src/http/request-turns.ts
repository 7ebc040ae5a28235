import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PIPELINED_REQUESTS } from '../model/http-limits.ts';

/** So many requests that had to wait begin in one round of the event loop, of all connections together. */
const BEGUN_A_ROUND = 8;

/** After so many more a connection is not even closed in order: each costs memory for as long as it is open. */
const DROPPED_REQUESTS = 1_000;

type Handler = (req: IncomingMessage, res: ServerResponse) => void;
type Exchange = [req: IncomingMessage, res: ServerResponse];

/** The requests of one connection: one is being handled, the others came before its answer. */
interface Turns {
  waiting: Exchange[];
  dropped: number;
}

/**
 * Hands over one request of a connection at a time. Node would have all that a client sends without waiting for an
 * answer (pipelining) handled at once, so that some hundred connections keep everybody else waiting. What had to wait
 * begins a few at a time, connection by connection; a request that came alone begins at once.
 * Beyond `limit` that wait, requests are dropped, and the last answer closes the connection. Clients have to expect
 * that, and know that what was not answered was not handled (RFC 9112, 9.3.2).
 */
export function takeTurns(handle: Handler, limit = PIPELINED_REQUESTS): Handler {
  const connections = new WeakMap<Socket, Turns>();
  const ready: [Socket, Turns][] = [];
  let round: NodeJS.Immediate | undefined;

  function begin([req, res]: Exchange, turns: Turns): void {
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
      if (next && !isOver(socket)) begin(next, turns);
    }
    if (ready.length > 0) round ??= setImmediate(beginRound);
  }

  return (req, res) => {
    const { socket } = req;
    if (isOver(socket)) return;
    const turns = connections.get(socket);
    if (turns === undefined) {
      const fresh: Turns = { waiting: [], dropped: 0 };
      connections.set(socket, fresh);
      begin([req, res], fresh);
    } else if (turns.dropped === 0 && turns.waiting.length < limit) {
      turns.waiting.push([req, res]);
    } else {
      turns.dropped += 1;
      turns.waiting.at(-1)?.[1].setHeader('Connection', 'close');
      if (turns.dropped > DROPPED_REQUESTS) socket.destroy();
    }
  };
}

/** A connection that has ended, or will with what was said, has nobody for another answer. */
function isOver(socket: Socket): boolean {
  return socket.destroyed || socket.writableEnded;
}
