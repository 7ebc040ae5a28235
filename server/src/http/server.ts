import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ServiceError } from '../errors/service-error.ts';
import type { HttpApp } from './app.ts';
import { errorBody } from './error-body.ts';

/** After the drain, what was told to end gets this long to do so. */
const END_GRACE_MS = 2_000;

/** A listening HTTP server. */
export interface HttpListener {
  /** For clients on this machine. */
  url: string;
  address: AddressInfo;
  /**
   * Stops accepting, lets requests in flight finish for up to `drainMs`, ends what is left (streams with
   * an `error` event, waits with `service_stopping`), then closes every connection. Idempotent; a later
   * call may shorten the drain.
   */
  close(options: { drainMs: number }): Promise<void>;
}

/** Listens; rejects with one clear sentence when the address cannot be had. */
export async function listen(options: {
  app: HttpApp;
  host: string;
  port: number;
}): Promise<HttpListener> {
  const { app, host, port } = options;
  const server = createServer(app.express);
  server.keepAliveTimeout = 65_000;
  server.on('clientError', answerClientError);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, host, port)));
    server.listen({ port, ...(host === '' ? {} : { host }) }, resolve);
  });
  const address = server.address() as AddressInfo; // a TCP listener always has one
  let closing: Promise<void> | undefined;
  const limits: NodeJS.Timeout[] = [];

  async function close(): Promise<void> {
    app.lifecycle.drain();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    // A connection that becomes idle meanwhile must not hold the server open.
    const sweeper = setInterval(() => server.closeIdleConnections(), 50);
    await closed;
    clearInterval(sweeper);
    app.lifecycle.stop();
  }

  function limitDrain(drainMs: number): void {
    limits.push(setTimeout(() => app.lifecycle.stop(), drainMs));
    limits.push(setTimeout(() => server.closeAllConnections(), drainMs + END_GRACE_MS));
  }

  return {
    url: `http://${urlHost(address)}:${address.port}`,
    address,
    close({ drainMs }) {
      closing ??= close();
      limitDrain(drainMs);
      // Once closed, the limits have nothing left to end.
      return closing.then(() => limits.forEach(clearTimeout));
    },
  };
}

function urlHost({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1';
  return family === 'IPv6' ? `[${address}]` : address;
}

function listenFailure(error: Error, host: string, port: number): ServiceError {
  const place = `${host === '' ? 'every interface' : host}, port ${port}`;
  const { code } = error as NodeJS.ErrnoException; // what node rejects a listen with
  const reason: Record<string, string> = {
    EADDRINUSE: 'another process listens there; choose another --api-addr',
    EACCES: 'this user may not; choose a port above 1023',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'there is no such host',
  };
  const why = reason[code ?? ''] ?? error.message;
  return new ServiceError('config_invalid', `Cannot listen on ${place}: ${why}.`, { cause: error });
}

/** What never became a request still gets a readable answer. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const isTooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const message = isTooLong ? 'The request headers are too large.' : 'The request is not HTTP/1.1.';
  const body = JSON.stringify(errorBody({ code: 'invalid_request', message }, 'none'));
  const status = isTooLong ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
