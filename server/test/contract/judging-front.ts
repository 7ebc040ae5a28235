import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The proxy's own limit is 10 MiB. */
const LARGEST_JUDGED_BYTES = 8 * 1024 * 1024;

/** What the validating proxy found in one exchange. */
export interface Violation {
  readonly request: string;
  readonly status: number;
  readonly location: readonly string[];
  readonly message: string;
}

export interface JudgingFront {
  readonly url: string;
  /** Exchanges that the proxy has judged. */
  judged(): number;
  /** Answers that the document does not allow, and requests that it forbids although they were served. */
  violations(): readonly Violation[];
  close(): Promise<void>;
}

/**
 * Stands before the validating proxy and reads its `sl-violations` header off every answer. Event streams go to the
 * service itself: the proxy holds an answer back until its end, and the document says nothing about one event.
 */
export async function startJudgingFront(proxy: string, service: string): Promise<JudgingFront> {
  const violations: Violation[] = [];
  let judged = 0;
  const server = createServer((incoming, outgoing) => {
    void buffer(incoming).then((body) => {
      const isForProxy = proxyUnderstands(incoming, body);
      forward({ incoming, body, outgoing, target: isForProxy ? proxy : service }, (answer) => {
        if (isForProxy) judged += 1;
        violations.push(...found(incoming, answer));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    judged: () => judged,
    violations: () => violations,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The proxy answers by itself what it cannot read: other bodies than JSON's, large ones, paths that are none. */
function proxyUnderstands({ url = '/', headers }: IncomingMessage, body: Buffer): boolean {
  const path = url.split('?', 1)[0] ?? url;
  if (path.endsWith('/stream') || body.length > LARGEST_JUDGED_BYTES) return false;
  if (body.length > 0 && headers['content-type'] !== 'application/json') return false;
  try {
    decodeURIComponent(path);
    const value: unknown = body.length === 0 ? {} : JSON.parse(body.toString());
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly outgoing: ServerResponse;
  readonly target: string;
}

function forward(
  { incoming, body, outgoing, target }: Exchange,
  onAnswer: (answer: IncomingMessage) => void,
): void {
  const { method, headers } = incoming;
  const onward = request(new URL(incoming.url ?? '/', target), {
    ...(method !== undefined && { method }),
    headers: { ...headers, host: new URL(target).host },
  });
  onward.once('response', (answer) => {
    onAnswer(answer);
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.once('error', () => outgoing.destroy());
  outgoing.once('close', () => onward.destroy());
  onward.end(body);
}

interface ProxyFinding {
  readonly location?: readonly string[];
  readonly message: string;
}

function found(incoming: IncomingMessage, answer: IncomingMessage): Violation[] {
  const header = answer.headers['sl-violations'];
  if (typeof header !== 'string') return [];
  const status = answer.statusCode ?? 0;
  const findings = JSON.parse(header) as ProxyFinding[]; // documented by the proxy
  return findings
    .map(({ location = [], message }) => {
      return { request: `${incoming.method} ${incoming.url}`, status, location, message };
    })
    .filter(({ location, message }) => {
      // While authentication is off, any credentials are served (specification: Authentication, 1).
      if (message === 'Invalid security scheme used') return false;
      return location[0] === 'response' || status < 400;
    });
}
