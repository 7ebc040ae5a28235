import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { emptyService } from './empty-service.ts';

/** Something that listens. */
export interface Front {
  close(): Promise<void>;
}

/** A path that LangGraph's server has for its own tests: it empties the server between two of them. */
const TRUNCATE = '/internal/truncate';

/**
 * Passes on what comes to a port of this machine: for tests that have their server's address as a constant. It looks at
 * no request but `/internal/truncate`, which it does by the API.
 */
export async function startFront(port: number, url: string): Promise<Front> {
  const target = new URL(url);

  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = 'GET', url: asked = '/', headers } = incoming;
    const upstream = request(
      {
        host: target.hostname,
        port: target.port,
        path: `${target.pathname}${asked}`,
        method,
        headers: { ...headers, host: target.host },
      },
      (found) => {
        outgoing.writeHead(found.statusCode ?? 502, found.headers);
        found.pipe(outgoing);
      },
    );
    upstream.once('error', () => outgoing.destroy());
    outgoing.once('close', () => upstream.destroy());
    incoming.pipe(upstream);
  }

  async function truncate(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    await emptyService(url, JSON.parse(text) as Record<string, boolean>); // the tests' own flags
    outgoing.end('{}');
  }

  const server = createServer((incoming, outgoing) => {
    if (incoming.url !== TRUNCATE) {
      forward(incoming, outgoing);
      return;
    }
    truncate(incoming, outgoing).catch((error: unknown) => {
      console.error(error);
      outgoing.writeHead(500).end();
    });
  });
  // A WebSocket: the bytes of both sides as they come, behind a request whose path is the service's.
  server.on('upgrade', ({ method = 'GET', url: asked = '/', rawHeaders }, socket, head) => {
    const upstream = connect(Number(target.port), target.hostname, () => {
      const pairs = rawHeaders.flatMap((name, at) =>
        at % 2 === 0 ? [`${name}: ${/^host$/i.test(name) ? target.host : rawHeaders[at + 1]}`] : [],
      );
      upstream.write(
        `${method} ${target.pathname}${asked} HTTP/1.1\r\n${pairs.join('\r\n')}\r\n\r\n`,
      );
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.once('error', () => socket.destroy());
    socket.once('error', () => upstream.destroy());
  });
  try {
    await once(server.listen(port, 'localhost'), 'listening');
  } catch (cause) {
    const what = `These tests need port ${port} of this machine`;
    throw new Error(`${what}: end what listens there, or run them in a network namespace.`, {
      cause,
    });
  }
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
