/*
 * Transport. `api-forward.ts` passes requests on with Node's own client, streams both ways: a page that does not read
 * applies backpressure, one that disconnects ends the request. Chromium's client would have six connections to a host. It
 * adds the credential (`X-Service-Token`, made for each start; `Authorization` for a remote service), drops what
 * concerns only the page (`Origin`, `Sec-Fetch-*`, cookies), and turns an unreachable service into the usual error
 * body: 503 `service_unavailable`.
 */
// Passes the window's requests on to the service and adds the credential. Node's own client, and not Chromium's:
// that one has six connections to a host, and six open streams would block everything else.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiTarget } from './api-target.ts';

/** Hop-by-hop headers, headers set here, and those about the page and not the caller. */
const dropped =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|origin|referer|cookie|sec-.*|authorization|x-service-token|accept-encoding|access-control-.*|set-cookie|expect)$/i;

const withoutBody = new Set([204, 205, 304]);

// A handshake for every request would be felt; on loopback a connection costs nothing.
const secureAgent = new https.Agent({ keepAlive: true });

/** The documented body of a failure, for what happens on this side of the service. */
export function unavailable(message: string): Response {
  const metadata = { request_id: randomUUID(), desktop: true };
  return Response.json(
    { code: 'service_unavailable', message, detail: message, metadata },
    { status: 503, headers: { 'Retry-After': '1' } },
  );
}

/** Resolves with the service's response, streaming both ways; an unreachable service is a 503 with the reason. */
export async function forward(
  request: Request,
  path: string,
  target: ApiTarget,
): Promise<Response> {
  if ('unavailable' in target) return unavailable(target.unavailable);
  try {
    return await send(request, path, target);
  } catch (error) {
    return unavailable(`The service does not respond: ${reasonOf(error)}.`);
  }
}

function send(
  request: Request,
  path: string,
  { base, headers }: Extract<ApiTarget, { base: string }>,
): Promise<Response> {
  const url = new URL(base.replace(/\/$/, '') + path);
  const forwarded = [...request.headers].filter(([name]) => !dropped.test(name));
  const isSecure = url.protocol === 'https:';
  const { request: open } = isSecure ? https : http;
  return new Promise((resolve, reject) => {
    const outgoing = open(url, {
      method: request.method,
      headers: { ...Object.fromEntries(forwarded), ...headers, 'accept-encoding': 'identity' },
      agent: isSecure ? secureAgent : false,
    });
    const abort = (): void => void outgoing.destroy();
    request.signal.addEventListener('abort', abort, { once: true });
    outgoing.once('error', reject);
    if (request.signal.aborted) abort();
    outgoing.once('close', () => {
      request.signal.removeEventListener('abort', abort);
      reject(new Error('the request was aborted')); // unless it has a response
    });
    outgoing.once('response', (incoming) => resolve(asResponse(incoming)));
    if (request.body === null) outgoing.end();
    else {
      const body = Readable.fromWeb(request.body);
      // A response may come before the body has been sent; then the rest of the body is ignored.
      pipeline(body, outgoing).catch((error: unknown) => reject(error));
    }
  });
}

function asResponse(incoming: http.IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value === undefined || dropped.test(name)) continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  // Its origin is the page's: what agents and others wrote is never taken for a program.
  headers.set('X-Content-Type-Options', 'nosniff');
  const status = incoming.statusCode ?? 502;
  const isEmpty = withoutBody.has(status) || incoming.method === 'HEAD';
  if (isEmpty) incoming.resume();
  // Pulled as the page reads, and destroyed when the page closes it: so the service sees both.
  const body = isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream);
  return new Response(body, { status, headers });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException; // what node's client rejects with
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND') return 'unknown host';
  return error.message || code || error.name;
}
