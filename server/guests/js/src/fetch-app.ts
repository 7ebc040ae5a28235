import type { ServerDuplexStream } from '@grpc/grpc-js';
import { describeError } from './guest-error.ts';
import { readHead, type Header, type RequestHead } from './request-head.ts';
import { runContext } from './run-context.ts';
import type { SdkClients } from './sdk-clients.ts';
import type { ErrorMessage } from './wire.ts';

/** Exactly one of them. */
export interface HttpRequestPart {
  head?: HttpRequestHead | null;
  body?: Uint8Array;
  end?: boolean;
}

interface HttpRequestHead extends RequestHead {
  userJson: string;
  scheme: string;
  /** Opens the host's Api. */
  token: string;
}

type HttpResponsePart =
  { head: { status: number; headers: Header[] } } | { body: Uint8Array } | { error: ErrorMessage };

export type HttpCall = ServerDuplexStream<HttpRequestPart, HttpResponsePart>;

/** The manifest's `http.app`: responds to one request; never rejects. */
export type FetchApp = (call: HttpCall) => Promise<void>;

/** Of a body; far below what a message may be. */
const partBytes = 256 * 1024;
/** Nothing may be sent with these methods (Fetch). */
const bodiless = new Set(['GET', 'HEAD']);

/**
 * Serves what has a `fetch`, such as a Hono app; throws for anything else. Its clients without a URL call the host until
 * the response is complete.
 */
export function fetchApp(app: unknown, clients: SdkClients): FetchApp {
  if (!hasFetch(app)) throw new TypeError('http.app has no fetch method, as a Hono app has');
  return async (call) => {
    const disconnected = new AbortController();
    call.on('cancelled', () => disconnected.abort());
    call.on('error', () => disconnected.abort());
    let closeClients = (): void => undefined;
    try {
      const parts = call[Symbol.asyncIterator]() as AsyncIterator<HttpRequestPart>;
      const { value: first } = (await parts.next()) as { value?: HttpRequestPart };
      if (!first?.head) throw new Error('the request has no head');
      const { head } = first;
      const user: unknown = head.userJson === '' ? undefined : JSON.parse(head.userJson);
      const request = requestOf(head, bodyOf(parts, disconnected), disconnected.signal);
      const { origin, close } = clients.open(head.token);
      closeClients = close;
      // A body that is made while it is sent has the same clients.
      await runContext.run({ runId: '', origin }, async () => {
        const response: unknown = await app.fetch(request, { auth: { user } });
        if (!(response instanceof Response)) throw new TypeError('fetch returned no Response');
        await sendResponse(call, response, disconnected.signal);
      });
    } catch (error) {
      if (!disconnected.signal.aborted) call.write({ error: describeError(error) });
    } finally {
      closeClients();
    }
    call.end();
  };
}

function requestOf(
  head: HttpRequestHead,
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Request {
  const { method, scheme } = head;
  const { target, headers } = readHead(head);
  const url = `${scheme}://${headers.get('host') ?? 'localhost'}${target}`;
  const init = { method, headers, signal };
  if (bodiless.has(method)) return new Request(url, init);
  const streamed: RequestInit & { duplex: 'half' } = { ...init, body, duplex: 'half' };
  return new Request(url, streamed);
}

/** Fails when the client disconnects before the end of the body: half of one is not taken for the whole. */
function bodyOf(
  parts: AsyncIterator<HttpRequestPart>,
  disconnected: AbortController,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await parts.next();
          if (done === true) throw new Error('the client disconnected');
          if (value.end === true) controller.close();
          else controller.enqueue(new Uint8Array(value.body ?? []));
        } catch (error) {
          disconnected.abort();
          controller.error(error);
        }
      },
    },
    { highWaterMark: 0 },
  );
}

async function sendResponse(
  call: HttpCall,
  response: Response,
  disconnected: AbortSignal,
): Promise<void> {
  const headers = [...response.headers].map(([name, value]) => ({
    name,
    value: Buffer.from(value, 'latin1'),
  }));
  await write(call, { head: { status: response.status, headers } }, disconnected);
  if (!response.body) return;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  disconnected.addEventListener('abort', cancel, { once: true });
  if (disconnected.aborted) cancel();
  for (;;) {
    const { value, done } = await reader.read();
    if (done || disconnected.aborted) return;
    for (let at = 0; at < value.byteLength; at += partBytes) {
      await write(call, { body: value.subarray(at, at + partBytes) }, disconnected);
    }
  }
}

/** Resolves when the host takes more, or the client has disconnected. */
async function write(
  call: HttpCall,
  part: HttpResponsePart,
  disconnected: AbortSignal,
): Promise<void> {
  if (disconnected.aborted || call.write(part)) return;
  await new Promise<void>((resolve) => {
    call.once('drain', resolve);
    disconnected.addEventListener('abort', () => resolve(), { once: true });
  });
}

function hasFetch(app: unknown): app is { fetch(request: Request, environment: object): unknown } {
  const isObject = typeof app === 'object' || typeof app === 'function';
  return isObject && app !== null && 'fetch' in app && typeof app.fetch === 'function';
}
