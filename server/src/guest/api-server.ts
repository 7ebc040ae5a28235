import { once } from 'node:events';
import { status, type ServerDuplexStream, type UntypedServiceImplementation } from '@grpc/grpc-js';

import { ServiceError } from '../errors/service-error.ts';
import type { ApiAnswer, ApiRequest, GuestApiPort } from './api-port.ts';
import { grpcFailure, Refusal } from './grpc-failure.ts';
import type { Logger } from './logger.ts';
import type { ApiRequestMessage, ApiResponseMessage } from './proto-messages.ts';
import type { TokenSession } from './token-session.ts';

type ApiCall = ServerDuplexStream<ApiRequestMessage, ApiResponseMessage>;

/** Of a body; far below what a message may be. */
const PART_BYTES = 256 * 1024;

export interface ApiServiceOptions {
  api: GuestApiPort;
  /** What a token opens; undefined when it is that of no run, or of one that has ended. */
  sessionOf: (token: string) => TokenSession | undefined;
  logger: Logger;
}

/** The handler of guest.proto's Api. A call lives no longer than its run. */
export function apiService({
  api,
  sessionOf,
  logger,
}: ApiServiceOptions): UntypedServiceImplementation {
  async function serve(call: ApiCall, over: AbortController): Promise<void> {
    const parts = call[Symbol.asyncIterator]() as AsyncIterator<ApiRequestMessage>;
    const { value: first } = (await parts.next()) as { value?: ApiRequestMessage };
    if (!first?.head) throw new Refusal(status.INVALID_ARGUMENT, 'A call begins with its head.');
    const session = sessionOf(first.head.token ?? '');
    const stopListening = session?.onClose(() =>
      over.abort(new ServiceError('permission_denied', 'The run of this call has ended.')),
    );
    try {
      const request = requestOf(first.head, bodyOf(parts));
      await send(call, await api.call(session?.caller, request, over.signal), over.signal);
    } finally {
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
          const phrase = 'the request of an agent could not be answered';
          // What breaks because the run has ended says nothing.
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
  // Agents name them: `constructor` is a name like any other.
  const named = new Map<string, string[]>();
  for (const { name = '', value } of headers) {
    const key = name.toLowerCase();
    const text = value ? Buffer.from(value).toString('latin1') : '';
    named.set(key, [...(named.get(key) ?? []), text]);
  }
  return { method, target, headers: Object.fromEntries(named), body };
}

async function* bodyOf(parts: AsyncIterator<ApiRequestMessage>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { value, done } = await parts.next();
    if (done === true) throw new Error('the agent gave the request up');
    if (value.end === true) return;
    if (value.body) yield value.body;
  }
}

async function send(call: ApiCall, answer: ApiAnswer, signal: AbortSignal): Promise<void> {
  const headers = answer.headers.map(([name, value]) => ({
    name,
    value: Buffer.from(value, 'latin1'),
  }));
  await write(call, { head: { status: answer.status, headers } }, signal);
  for await (const part of answer.body) {
    for (let at = 0; at < part.byteLength; at += PART_BYTES) {
      await write(call, { body: part.subarray(at, at + PART_BYTES) }, signal);
    }
  }
}

/** Resolves when the guest takes more; rejects when nobody is interested any more. */
async function write(
  call: ApiCall,
  message: ApiResponseMessage,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  if (!call.write(message)) await once(call, 'drain', { signal });
}
