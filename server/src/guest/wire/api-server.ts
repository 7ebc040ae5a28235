/*
 * Clients of LangGraph's SDK within agents (`sdk_clients.py`, `sdk-clients.ts`) send their requests over the host's
 * `Api`, with the token of their run, or of their request to `http.app`. `guest/wire/api-server.ts` maps the token to it and
 * ends a call with it; `http/agent-app/agent-api.ts` turns the call into an HTTP request to a second Express app, which has the compat
 * routes alone, over the same services.
 *
 * That app's server does not listen on a socket (`http/server/memory-server.ts`: node's HTTP on both ends of a pipe in
 * memory). So bodies, streams, limits, errors and disconnects are handled as for every request, and there is nothing to
 * protect from outside: the listener's app has no code that admits a run. A call's principal is looked up by a name
 * that is generated for each call and that agents cannot send. A server on a socket would need a secret, since agents
 * run as the same user.
 *
 * In JavaScript a request identifies its run by its URL, which differs in each run: clients queue their requests, so
 * the asynchronous context of a `fetch` may be that of another run.
 */
import { once } from 'node:events';
import { status, type ServerDuplexStream, type UntypedServiceImplementation } from '@grpc/grpc-js';

import { ServiceError } from '../../errors/service-error.ts';
import type { ApiResponse, ApiRequest, GuestApiPort } from './api-port.ts';
import { grpcFailure, Refusal } from './grpc-failure.ts';
import type { GuestLimits } from '../limits.ts';
import type { Logger } from '../port.ts';
import { plainPatience, type Patience } from '../pool/patience.ts';
import type { ApiRequestMessage, ApiResponseMessage } from './proto-messages.ts';
import type { TokenSession } from './token-session.ts';

type ApiCall = ServerDuplexStream<ApiRequestMessage, ApiResponseMessage>;

/** Size of a part of a body; far below the limit of a message. */
const PART_BYTES = 256 * 1024;

export interface ApiServiceOptions {
  api: GuestApiPort;
  /** The session of a token; undefined when it belongs to nothing that goes on. */
  sessionOf: (token: string) => TokenSession | undefined;
  logger: Logger;
  limits: Pick<GuestLimits, 'apiBodyMs'>;
  /** Runs the limit; absent: as plain time. */
  patience?: Patience;
}

/** The handler of guest.proto's Api. A call ends with its run, or its request to `http.app`, at the latest. */
export function apiService({
  api,
  sessionOf,
  logger,
  limits,
  patience = plainPatience,
}: ApiServiceOptions): UntypedServiceImplementation {
  async function serve(call: ApiCall, over: AbortController): Promise<void> {
    const messages = call[Symbol.asyncIterator]() as AsyncIterator<ApiRequestMessage>;
    const parts = inTime(messages, limits.apiBodyMs, patience);
    let stopListening: (() => void) | undefined;
    try {
      const { value: first } = (await parts.next()) as { value?: ApiRequestMessage };
      if (!first?.head) throw new Refusal(status.INVALID_ARGUMENT, 'A call begins with its head.');
      const session = sessionOf(first.head.token ?? '');
      stopListening = session?.onClose(() =>
        over.abort(
          new ServiceError('permission_denied', 'The run or request of this call has ended.'),
        ),
      );
      const request = requestOf(first.head, bodyOf(parts));
      await send(call, await api.call(session?.apiCaller, request, over.signal), over.signal);
    } finally {
      parts.stop();
      stopListening?.();
    }
  }

  return {
    Call(call: ApiCall) {
      const over = new AbortController();
      call.on('cancelled', () => over.abort());
      serve(call, over).then(
        () => call.end(),
        (error: unknown) => {
          if (call.cancelled) return;
          const { aborted, reason } = over.signal;
          const phrase = 'the request of an agent could not be served';
          // An error that follows from the end of the run is not the cause.
          call.emit('error', grpcFailure(aborted ? reason : error, logger, phrase));
        },
      );
    },
  };
}

function requestOf(
  { method = '', target = '', headers }: NonNullable<ApiRequestMessage['head']>,
  body: AsyncIterable<Uint8Array>,
): ApiRequest {
  // Agents choose the names, so `constructor` must be an ordinary key.
  const named = new Map<string, string[]>();
  for (const { name = '', value } of headers) {
    const key = name.toLowerCase();
    const text = value ? Buffer.from(value).toString('latin1') : '';
    named.set(key, [...(named.get(key) ?? []), text]);
  }
  return { method, target, headers: Object.fromEntries(named), body };
}

/** The same parts, but `next` rejects once the limit has passed: an unfinished request counts as one of its run. */
function inTime(
  parts: AsyncIterator<ApiRequestMessage>,
  limitMs: number,
  patience: Patience,
): AsyncIterator<ApiRequestMessage> & { stop: () => void } {
  let stop = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `The request did not come within ${limitMs / 1000} s.`;
    stop = patience.after(limitMs, () => reject(new Refusal(status.DEADLINE_EXCEEDED, message)));
  });
  late.catch(() => undefined); // when no caller awaits `next`
  return { next: () => Promise.race([parts.next(), late]), stop };
}

async function* bodyOf(parts: AsyncIterator<ApiRequestMessage>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { value, done } = await parts.next();
    if (done === true) throw new Error('the agent gave the request up');
    if (value.end === true) return;
    if (value.body) yield value.body;
  }
}

async function send(call: ApiCall, response: ApiResponse, signal: AbortSignal): Promise<void> {
  const headers = response.headers.map(([name, value]) => ({
    name,
    value: Buffer.from(value, 'latin1'),
  }));
  await write(call, { head: { status: response.status, headers } }, signal);
  for await (const part of response.body) {
    for (let at = 0; at < part.byteLength; at += PART_BYTES) {
      await write(call, { body: part.subarray(at, at + PART_BYTES) }, signal);
    }
  }
}

/** Resolves when the guest accepts more; rejects when the signal fires. */
async function write(
  call: ApiCall,
  message: ApiResponseMessage,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  if (!call.write(message)) await once(call, 'drain', { signal });
}
