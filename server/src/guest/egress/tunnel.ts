import type { Duplex } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Target } from './allow-list.ts';
import { EgressRefusal } from './refusal.ts';
import { connectTarget } from './request-target.ts';

/** The part of the proxy that CONNECT and plain requests use. */
export interface Exits {
  /** Connects, or rejects with an EgressRefusal, which has already been counted and logged. */
  reach(target: Target, gone: AbortSignal): Promise<Socket>;
}

const NO_TARGET = 'CONNECT takes a host and a port, as api.example.com:443, and nothing else.';

/** Serves `CONNECT host:port`: from then on bytes pass unchanged in both directions. */
export async function openTunnel(
  { url = '' }: IncomingMessage,
  client: Duplex,
  early: Buffer,
  { reach }: Exits,
): Promise<void> {
  const gone = new AbortController();
  client.once('close', () => gone.abort());
  client.on('error', () => client.destroy());
  try {
    const target = connectTarget(url);
    if (target === undefined) throw new EgressRefusal(400, NO_TARGET);
    const upstream = await reach(target, gone.signal);
    if (client.destroyed) {
      upstream.destroy();
      return;
    }
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (early.length > 0) client.unshift(early);
    join(client, upstream);
  } catch (error) {
    refuse(client, error);
  }
}

/** The end of each direction is passed on separately; an error, or the end of both, closes the other side. */
function join(client: Duplex, upstream: Socket): void {
  client.pipe(upstream).pipe(client);
  client.once('close', () => upstream.destroy());
  upstream.once('close', (hadError) => {
    // Data that has arrived is still written to a client that reads slowly.
    if (hadError || !client.writableEnded) client.destroy();
    else if (client.writableFinished) client.destroy();
    else client.once('finish', () => client.destroy());
  });
}

/** Writes a refusal to a connection without a response object, and closes it. */
export function refuse(client: Duplex, error: unknown): void {
  const { status, message } = asRefusal(error);
  if (!client.writable) {
    client.destroy();
    return;
  }
  // Most clients show the status line of such a response and drop its body.
  const head = [
    `HTTP/1.1 ${status} ${message}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${message.length + 1}`,
    'connection: close',
  ];
  client.end(`${head.join('\r\n')}\r\n\r\n${message}\n`, () => client.destroy());
}

/** Any other error is a fault of ours, whose message is not disclosed. */
export function asRefusal(error: unknown): EgressRefusal {
  return error instanceof EgressRefusal
    ? error
    : new EgressRefusal(500, 'The proxy failed to serve this request.');
}
