import type { ServerResponse } from 'node:http';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { isServiceError, ServiceError } from '../../../errors/service-error.ts';
import { jsonText, toJsonText } from '../../../model/json.ts';
import { newRunUuid } from '../../../threads/new-ids.ts';
import { jsonObject } from '../../request/json-body.ts';
import { parseInput } from '../../request/parse-input.ts';
import { asServiceError } from '../../response/error-handler.ts';
import { takeOver, type Upgrade } from '../../server/upgrades.ts';
import { carryOut, commandFrame, paramsOf } from './commands.ts';
import { frameText } from './frame.ts';
import type { CommandServices, CommandTarget } from './run-commands.ts';
import { subscription } from './subscription.ts';
import { threadFrames, type ThreadFollowing } from './thread-frames.ts';

/** The largest message of a client: as the body of a request. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** Streams of events that one WebSocket may have. */
export const MAX_SUBSCRIPTIONS = 64;
/** Close codes of RFC 6455, 7.4.1, and of its registry. */
const CLOSED = { restart: 1012, failure: 1011, binary: 1003 };

/** Speaks the protocol on a WebSocket until it closes, or until the signal fires. */
export async function serveSocket(
  services: CommandServices & ThreadFollowing,
  target: CommandTarget,
  { res, upgrade }: { res: ServerResponse; upgrade: Upgrade },
  options: { heartbeatMs: number; onFailure: (error: unknown) => void },
): Promise<void> {
  const opened = await accepted(res, upgrade);
  if (opened === undefined) return;
  const socket: WebSocket = opened;
  // A frame that is wrong or too large: the socket closes by itself.
  socket.on('error', () => undefined);
  const closing = new AbortController();
  const signal = AbortSignal.any([closing.signal, target.signal]);
  const streams = new Map<string, AbortController>();

  const send = async (text: string): Promise<void> =>
    new Promise((resolve) => socket.send(text, () => resolve()));

  async function follow(id: string, wanted: ReturnType<typeof subscription.parse>): Promise<void> {
    const own = new AbortController();
    streams.set(id, own);
    const ends = AbortSignal.any([signal, own.signal]);
    for await (const frame of threadFrames(services, { ...target, wanted }, ends)) {
      await send(frameText(frame));
    }
  }

  async function respond(text: string): Promise<void> {
    const command = parsedCommand(text);
    const { id, method, params } = command;
    if (method === 'subscription.subscribe') {
      if (streams.size >= MAX_SUBSCRIPTIONS) {
        const message = `A WebSocket has at most ${MAX_SUBSCRIPTIONS} subscriptions.`;
        throw new ServiceError('too_many_requests', message);
      }
      const wanted = parseInput(subscription, params);
      const name = newRunUuid();
      await send(success(id, { subscription_id: name }));
      follow(name, wanted).catch((error: unknown) => {
        if (isDenied(error)) return; // the thread belongs to another user now: this subscription has ended
        if (!signal.aborted) options.onFailure(error);
        socket.close(CLOSED.failure, 'the stream of events failed');
      });
      return;
    }
    if (method === 'subscription.unsubscribe') {
      const name = String(params['subscription_id']);
      const found = streams.get(name);
      if (found === undefined) {
        await send(failure(id, 'no_such_subscription', 'There is no such subscription.'));
        return;
      }
      streams.delete(name);
      found.abort();
      await send(success(id, {}));
      return;
    }
    await send(toJsonText(await carryOut(services, { ...target, signal }, command)));
  }

  // One command after the other, in the order in which they came.
  let turn = Promise.resolve();
  let waiting = 0;
  socket.on('message', (data: RawData, isBinary) => {
    if (isBinary) {
      socket.close(CLOSED.binary, 'commands are JSON text');
      return;
    }
    const text = textOf(data);
    waiting += 1;
    // No more is read meanwhile: a command may be as large as a request.
    socket.pause();
    turn = turn
      .then(() => respond(text))
      .catch((error: unknown) => {
        if (!isServiceError(error)) options.onFailure(error);
        const { code, message } = asServiceError(error);
        const words: Partial<Record<string, string>> = {
          invalid_request: 'invalid_argument',
          permission_denied: 'permission_denied',
        };
        return send(failure(idIn(text), words[code] ?? 'unknown_error', message));
      })
      .finally(() => {
        waiting -= 1;
        if (waiting === 0) socket.resume();
      });
  });
  const heartbeat = beat(socket, options.heartbeatMs);
  const stop = (): void => socket.close(CLOSED.restart, 'the service is stopping');
  target.signal.addEventListener('abort', stop, { once: true });
  if (target.signal.aborted) stop();
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  target.signal.removeEventListener('abort', stop);
  clearInterval(heartbeat);
  closing.abort();
}

/** Undefined: the handshake failed, and the connection is closed. */
async function accepted(res: ServerResponse, upgrade: Upgrade): Promise<WebSocket | undefined> {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  takeOver(res, upgrade);
  const { req, socket, head } = upgrade;
  return new Promise((resolve) => {
    socket.once('close', () => resolve(undefined));
    server.handleUpgrade(req, socket, head, resolve);
  });
}

/** Ends the connection of a client that responds to no ping. One that is slow to read, or not read, cannot respond. */
function beat(socket: WebSocket, everyMs: number): NodeJS.Timeout {
  let isAlive = true;
  socket.on('pong', () => (isAlive = true));
  return setInterval(() => {
    if (socket.isPaused || socket.bufferedAmount > 0) {
      isAlive = true;
      return;
    }
    if (!isAlive) {
      socket.terminate();
      return;
    }
    isAlive = false;
    socket.ping();
  }, everyMs);
}

function isDenied(error: unknown): boolean {
  return isServiceError(error) && error.code === 'permission_denied';
}

function parsedCommand(text: string) {
  const { value, members } = jsonObject(text);
  const { id, method, params = {} } = parseInput(commandFrame, value);
  return { id, method, params, members: paramsOf(members) };
}

function textOf(data: RawData): string {
  return Buffer.isBuffer(data)
    ? data.toString()
    : Buffer.concat([data].flat() as Buffer[]).toString();
}

function success(id: number, result: object): string {
  return toJsonText({ type: 'success', id, result });
}

function failure(id: number | null, error: string, message: string): string {
  return toJsonText({ type: 'error', id, error, message });
}

function idIn(text: string): number | null {
  try {
    const { id } = JSON.parse(jsonText(text)) as { id?: unknown };
    return typeof id === 'number' ? id : null;
  } catch {
    return null;
  }
}
