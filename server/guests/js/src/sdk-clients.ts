import { credentials, type ClientDuplexStream } from '@grpc/grpc-js';
import { clientOptions, messageLimits, socketAddress, type GuestProto } from './guest-proto.ts';
import { runContext } from './run-context.ts';

interface Header {
  name: string;
  value: Uint8Array;
}

type ApiRequest =
  | { head: { token: string; method: string; target: string; headers: Header[] } }
  | { body: Uint8Array }
  | { end: true };

interface ApiResponse {
  head?: { status: number; headers: Header[] } | null;
  body?: Uint8Array;
}

type ApiCall = ClientDuplexStream<ApiRequest, ApiResponse>;

/** Of a body; far below what a message may be. */
const partBytes = 256 * 1024;
/** Responses that have no body (Fetch, null body status). */
const bodiless = new Set([204, 205, 304]);

/** Of a client that is used outside of runs and requests. No request is ever made to it. */
const noOrigin = 'http://api';

const noRun =
  'A client without a URL is a client of a run: it can be made anywhere, and called by the ' +
  "agent's nodes and tools until the run has ended, and by http.app until its response is complete.";

/** The clients of LangGraph's SDK that have no URL, as far as they are used in runs and by `http.app`. */
export interface SdkClients {
  /** Calls go to the host in the name of this token, from where `origin` is in the context of the run or request. */
  open(token: string): { origin: string; close(): void };
}

/** Lets such clients call the host: the SDK looks for these two members when a client is made. */
export function provideClients(
  proto: GuestProto,
  options: { hostSocket: string; maxMessageBytes: number },
): SdkClients {
  const client = new proto.Api(socketAddress(options.hostSocket), credentials.createInsecure(), {
    ...messageLimits(options.maxMessageBytes),
    ...clientOptions,
  }) as unknown as { Call(): ApiCall }; // its method is made at run time, from the proto file
  const tokens = new Map<string, string>();
  let opened = 0;
  Object.assign(globalThis, {
    [Symbol.for('langgraph_api:fetch')]: hostFetch(tokens, () => client.Call()),
    [Symbol.for('langgraph_api:url')]: new RunUrl(noOrigin),
  });
  return {
    open(token) {
      opened += 1;
      const origin = `http://run-${opened}.api`;
      tokens.set(origin, token);
      return { origin, close: () => void tokens.delete(origin) };
    },
  };
}

/**
 * A text that is unique to the run, so that a request identifies its run. The context of its `fetch` does not: a
 * client sends what it had to hold back from within the run whose request has ended. And of two requests that are alike
 * and under way at the same time the SDK makes one, though the runs may be those of different people.
 */
class RunUrl extends String {
  override toString(): string {
    return runContext.getStore()?.origin ?? super.toString();
  }
}

/** A `fetch` whose requests go to the host. */
function hostFetch(tokens: ReadonlyMap<string, string>, open: () => ApiCall): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const token = tokens.get(new URL(request.url).origin);
    if (token === undefined) throw new TypeError(noRun);
    const { signal } = request;
    signal.throwIfAborted();
    const call = open();
    call.on('error', () => undefined); // a caller that reads the response gets the error
    const cancel = (): void => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const over = (): void => signal.removeEventListener('abort', cancel);
    const failure = (error: unknown): unknown => {
      over();
      return signal.aborted ? signal.reason : failed(error);
    };
    const parts = call[Symbol.asyncIterator]() as AsyncIterator<ApiResponse>;
    try {
      await send(call, token, request);
      const { value, done } = await parts.next();
      if (done === true || !value.head) throw new Error('The host gave no response.');
      return responseOf(value.head, parts, { cancel, over, failure });
    } catch (error) {
      cancel();
      throw failure(error);
    }
  };
}

async function send(call: ApiCall, token: string, request: Request): Promise<void> {
  const { method, url } = request;
  const { pathname, search } = new URL(url);
  const headers = [...request.headers].map(([name, value]) => ({
    name,
    value: Buffer.from(value, 'latin1'),
  }));
  call.write({ head: { token, method, target: `${pathname}${search}`, headers } });
  const body = new Uint8Array(await request.arrayBuffer());
  for (let at = 0; at < body.byteLength; at += partBytes) {
    call.write({ body: body.subarray(at, at + partBytes) });
  }
  call.write({ end: true });
  call.end();
}

function responseOf(
  { status, headers }: { status: number; headers: Header[] },
  parts: AsyncIterator<ApiResponse>,
  call: { cancel(): void; over(): void; failure(error: unknown): unknown },
): Response {
  const made = new Headers();
  for (const { name, value } of headers) made.append(name, Buffer.from(value).toString('latin1'));
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await parts.next();
          if (done === true) {
            call.over();
            controller.close();
          } else controller.enqueue(new Uint8Array(value.body ?? []));
        } catch (error) {
          controller.error(call.failure(error));
        }
      },
      cancel() {
        call.over();
        call.cancel();
      },
    },
    { highWaterMark: 0 },
  );
  if (!bodiless.has(status)) return new Response(body, { status, headers: made });
  void body.cancel();
  return new Response(null, { status, headers: made });
}

/** What `fetch` throws; the host's sentence without what gRPC puts before it. */
function failed(error: unknown): TypeError {
  const { details } = error as { details?: unknown }; // gRPC's errors have them
  const message = typeof details === 'string' && details !== '' ? details : String(error);
  return new TypeError(message, { cause: error });
}
