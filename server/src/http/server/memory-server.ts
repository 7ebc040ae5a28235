import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import { duplexPair, type Duplex } from 'node:stream';
import { roomToWrite } from '../response/streamed-response.ts';

/** An HTTP server without a network address: only the holder of this object can make requests. */
export interface MemoryServer {
  /** Handles all requests with this listener from now on. Call it once. */
  serve(listener: RequestListener): void;
  /**
   * Makes one request and resolves when the response begins. The signal aborts request and response at any time.
   * Rejects with the error that prevented a response.
   */
  request(
    line: { method: string; path: string; headers: Record<string, string | string[]> },
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<IncomingMessage>;
}

/** Creates a memory server: node's own HTTP on both sides of an in-memory pipe. */
export function createMemoryServer(): MemoryServer {
  const server = createServer();
  return {
    serve: (listener) => void server.on('request', listener),
    async request(line, body, signal) {
      const parts = body[Symbol.asyncIterator]();
      // The method does not imply whether there is a body, and without a body no length is announced.
      const first = await parts.next();
      const headers = {
        ...line.headers,
        ...(first.done !== true && { 'transfer-encoding': 'chunked' }),
      };
      let near: Duplex | undefined;
      const createConnection = (): Duplex => (near = connect());
      const asked = request({ ...line, headers, signal, createConnection });
      const response = new Promise<IncomingMessage>((resolve, reject) => {
        asked.once('response', resolve);
        asked.on('error', reject); // once the response began, it reports its own errors
      });
      const leave = (incoming: IncomingMessage) =>
        void incoming.once('close', () => near?.destroy());
      response.then(leave, () => undefined);
      const send = async (): Promise<void> => {
        for (let part = first; part.done !== true; part = await parts.next()) {
          if (!asked.write(part.value)) await roomToWrite(asked);
          if (asked.destroyed) return;
        }
        asked.end();
      };
      send().catch((error: unknown) => asked.destroy(error instanceof Error ? error : undefined));
      return response;
    },
  };

  function connect(): Duplex {
    const [near, far] = duplexPair();
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    // Node calls this socket method, which a stream lacks; here it does nothing.
    server.emit('connection', Object.assign(far, { setNoDelay: () => far }));
    return near;
  }
}
