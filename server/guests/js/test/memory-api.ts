import type { ServerDuplexStream } from '@grpc/grpc-js';

interface Header {
  name: string;
  value: Uint8Array;
}

interface ApiRequest {
  head?: { token: string; method: string; target: string; headers: Header[] } | null;
  body?: Uint8Array;
  end?: boolean;
}

type ApiCall = ServerDuplexStream<ApiRequest, object>;

/** A request as a test's handler is given it, and what it responds with. */
export interface ApiExchange {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: string;
  begin(status: number, headers?: Record<string, string>): void;
  write(text: string): void;
  end(): void;
  /** Breaks the response off. */
  fail(details: string): void;
  /** Resolves when the guest has aborted the request. */
  given: Promise<void>;
}

/** Handlers of requests by their token. */
export type ApiHandlers = Map<string, (exchange: ApiExchange) => unknown>;

/** The Api service: each request goes to the handler of its token, and is nothing without an end. */
export function memoryApiService(handlers: ApiHandlers) {
  return {
    async Call(call: ApiCall) {
      const given = new Promise<void>((resolve) => call.on('cancelled', resolve));
      let head: ApiRequest['head'];
      let body = '';
      // A readable of our own message type: the iterator of the base class is untyped.
      for await (const part of call.iterator({
        destroyOnReturn: false,
      }) as AsyncIterable<ApiRequest>) {
        if (part.head) ({ head } = part);
        else if (part.end === true) break;
        else body += Buffer.from(part.body ?? []).toString();
      }
      if (!head) throw new Error('a request without a head');
      const { token, method, target, headers } = head;
      const named = headers.map(({ name, value }) => [name, Buffer.from(value).toString()]);
      await handlers.get(token)?.({
        ...{ method, target, body, given },
        headers: Object.fromEntries(named) as Record<string, string>,
        begin(status, made = { 'content-type': 'application/json' }) {
          const pairs = Object.entries(made);
          const list = pairs.map(([name, text]) => ({ name, value: Buffer.from(text) }));
          call.write({ head: { status, headers: list } });
        },
        write: (text) => void call.write({ body: Buffer.from(text) }),
        end: () => void call.end(),
        fail: (details) => void call.emit('error', { code: 10, details }),
      });
    },
  };
}
