import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import { duplexPair, type Duplex } from 'node:stream';
import { roomToWrite } from '../response/streamed-response.ts';

/** An HTTP server that listens nowhere: only who holds it can make requests. */
export interface MemoryServer {
  /** Answers requests from now on. Once. */
  serve(listener: RequestListener): void;
  /**
   * Makes one request and resolves when the answer begins. The signal breaks both off, at any time. Rejects with what
   * kept it from being answered.
   */
  request(
    line: { method: string; path: string; headers: Record<string, string | string[]> },
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<IncomingMessage>;
}

/** Makes one: node's own HTTP on both sides of a pipe in memory. */
export function createMemoryServer(): MemoryServer {
  const server = createServer();
  return {
    serve: (listener) => void server.on('request', listener),
    async request(line, body, signal) {
      const parts = body[Symbol.asyncIterator]();
      // A method says nothing about whether there is a body, and without one no length is announced.
      const first = await parts.next();
      const headers = {
        ...line.headers,
        ...(first.done !== true && { 'transfer-encoding': 'chunked' }),
      };
      let near: Duplex | undefined;
      const createConnection = (): Duplex => (near = connect());
      const asked = request({ ...line, headers, signal, createConnection });
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        asked.once('response', resolve);
        asked.on('error', reject); // after the answer began it is the answer's own
      });
      const leave = (answer: IncomingMessage) => void answer.once('close', () => near?.destroy());
      answered.then(leave, () => undefined);
      const send = async (): Promise<void> => {
        for (let part = first; part.done !== true; part = await parts.next()) {
          if (!asked.write(part.value)) await roomToWrite(asked);
          if (asked.destroyed) return;
        }
        asked.end();
      };
      send().catch((error: unknown) => asked.destroy(error instanceof Error ? error : undefined));
      return answered;
    },
  };

  function connect(): Duplex {
    const [near, far] = duplexPair();
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    // What is asked of a connection beyond a stream: it is at once as it is.
    server.emit('connection', Object.assign(far, { setNoDelay: () => far }));
    return near;
  }
}
