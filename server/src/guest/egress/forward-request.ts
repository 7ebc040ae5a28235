import { type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import { EGRESS_HEADER_BYTES } from '../../model/limits/egress-limits.ts';
import type { Target } from './allow-list.ts';
import { withPort } from './host-name.ts';
import { type EgressLimit, EgressRefusal } from './refusal.ts';
import { asRefusal, type Exits } from './tunnel.ts';
import { forwardTarget } from './request-target.ts';

/** Headers of one connection, not of the message (RFC 9110, 7.6.1), and those that are set here. */
const OWN = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'proxy-authorization', 'proxy-authenticate', 'host', 'expect'],
]);

const NO_TARGET =
  'This is a proxy: it takes CONNECT host:port, and requests for http://host/path without credentials.';

/**
 * Serves a request for `http://host/path`. It is parsed and serialised again, so that the target reads the same message
 * as this proxy did, and it has its own connection.
 */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { reach, onLimit }: Exits & { onLimit: (limit: EgressLimit) => void },
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.shouldKeepAlive = false;
  try {
    const target = forwardTarget(request.url ?? '');
    if (target === undefined) throw new EgressRefusal(400, NO_TARGET);
    const { 'transfer-encoding': coding } = request.headers;
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
      throw new EgressRefusal(501, 'The only transfer-encoding that is passed on is chunked.');
    }
    const socket = await reach(target, gone.signal);
    response.once('close', () => socket.destroy());
    const outgoing = send({
      method: request.method,
      path: target.path,
      headers: [
        ...['host', hostHeader(target), 'connection', 'close'],
        ...[...bodyHeaders(request), ...passedOn(request)],
      ],
      maxHeaderSize: EGRESS_HEADER_BYTES,
      createConnection: () => socket,
    });
    outgoing.once('response', (incoming) => {
      try {
        respond(incoming, response);
      } catch {
        // A status or a header that the parser accepts but that must not be sent.
        refuseRequest(response, broken(target));
      }
    });
    outgoing.on('error', (error) => {
      const isTooLarge = 'code' in error && error.code === 'HPE_HEADER_OVERFLOW';
      if (isTooLarge) onLimit('header_bytes');
      refuseRequest(response, isTooLarge ? tooLarge(target) : broken(target));
    });
    // Also after a message that is no final response, as 101.
    outgoing.once('close', () => {
      if (!response.headersSent) refuseRequest(response, broken(target));
    });
    request.pipe(outgoing);
  } catch (error) {
    refuseRequest(response, error);
  }
}

function respond(incoming: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  const { statusCode = 502, statusMessage = '' } = incoming;
  response.writeHead(statusCode, statusMessage, passedOn(incoming));
  incoming.on('error', () => response.destroy());
  incoming.pipe(response);
}

function tooLarge({ host, port }: Target): EgressRefusal {
  const what = `sent headers of more than ${EGRESS_HEADER_BYTES} bytes`;
  return new EgressRefusal(502, `${withPort(host, port)} ${what}.`);
}

function broken({ host, port }: Target): EgressRefusal {
  const what = 'broke the connection off, or sent no valid response';
  return new EgressRefusal(502, `${withPort(host, port)} ${what}.`);
}

function refuseRequest(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, message } = asRefusal(error);
  // The rest of the client's request is not read.
  const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
  response.writeHead(status, message, headers).end(`${message}\n`);
}

function hostHeader({ host, port }: Target): string {
  return port === 80 ? withPort(host, port).replace(/:80$/, '') : withPort(host, port);
}

/** The headers that delimit the body, as the parser understood it. */
function bodyHeaders({ headers, method }: IncomingMessage): string[] {
  if (headers['transfer-encoding'] !== undefined) return ['transfer-encoding', 'chunked'];
  const isBodyUsual = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const length = headers['content-length'] ?? (isBodyUsual ? '0' : undefined);
  return length === undefined ? [] : ['content-length', length];
}

/** Names and values alternating, as received, without those that belong to the connection. */
function passedOn(message: IncomingMessage): string[] {
  const named = (message.headers.connection ?? '').toLowerCase().split(',');
  const left = new Set([...OWN, ...named.map((name) => name.trim())]);
  // A request's length is in bodyHeaders.
  if (message.method) left.add('content-length');
  const { rawHeaders } = message;
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)] ?? '';
    return !left.has(name.toLowerCase());
  });
}
