/*
 * `http/server/server.ts` is the one listener. `http/tls/` reads or makes its certificate and checks client
 * certificates itself, because node supports only one of the five modes. Refused connections are destroyed before the
 * HTTP parser gets them. `connection-limits.ts` defines every time limit by name.
 *
 * `host-check.ts` and `cors.ts` run before every route. A route's contract states which GETs change something, so that
 * pages of other origins may not send them (`RouteContract.changes`). The threat model, and the test of each promise:
 * [docs/security.md](docs/security.md).
 *
 * `request-turns.ts` hands over one request of a connection at a time. `unread-body.ts` reads and drops a refused body
 * before its connection is closed, because a reset could lose the response.
 */
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { ServiceError } from '../../errors/service-error.ts';
import { CONNECTION_LIMITS, type ConnectionLimits, trackResponses } from './connection-limits.ts';
import type { HttpApp } from '../app.ts';
import { respondToClientError } from '../request/client-errors.ts';
import { takeTurns } from '../request/request-turns.ts';
import type { ListenerTls } from '../tls/listener-tls.ts';
import { asksForWebSocket, passUpgrades } from './upgrades.ts';

/** Time after the drain for the remaining requests to end. */
const END_GRACE_MS = 2_000;

/** A listening HTTP server. */
export interface HttpListener {
  /** The URL for clients on this machine. */
  url: string;
  address: AddressInfo;
  /**
   * Stops accepting, lets requests in flight finish for up to `drainMs`, ends the remaining ones (streams with an
   * `error` event, waits with `service_stopping`), then closes every connection. Idempotent; a later call may shorten
   * the drain.
   */
  close(options: { drainMs: number }): Promise<void>;
}

/** The app, and the address and settings of its listener. */
export interface ListenOptions {
  app: HttpApp;
  host: string;
  port: number;
  /** Absent: plain HTTP. */
  tls?: ListenerTls;
  limits?: Partial<ConnectionLimits>;
  /** The setting that an error message names. */
  setting?: string;
}

/** Starts listening; rejects with one clear sentence when it cannot listen on the address. */
export async function listen(options: ListenOptions): Promise<HttpListener> {
  const { app, host, port, tls, setting = '--api-addr' } = options;
  const responses = trackResponses();
  const serve: RequestListener = (req, res) => {
    responses.add(res);
    app.express(req, res);
  };
  const turns = takeTurns(serve);
  const server = makeServer(options, turns.handle);
  passUpgrades(server, serve);
  const sockets = trackSockets(server, tls !== undefined);
  // Node would respond with 417 without a body; RFC 9110, 10.1.1 lets a server ignore an unknown expectation.
  server.on('checkExpectation', turns.handle);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!sockets.isReady(socket)) socket.destroy();
    else if (!turns.endBehind(socket)) respondToClientError(error, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, host, port, setting)));
    server.listen({ port, ...(host === '' ? {} : { host }) }, resolve);
  });
  const address = server.address() as AddressInfo; // a TCP listener always has one
  let closing: Promise<void> | undefined;
  const limits: NodeJS.Timeout[] = [];

  async function close(): Promise<void> {
    app.lifecycle.drain();
    tls?.close();
    responses.sayClose();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    // A connection that becomes idle meanwhile must not hold the server open.
    const sweeper = setInterval(() => server.closeIdleConnections(), 50);
    await closed;
    clearInterval(sweeper);
    app.lifecycle.stop();
  }

  /** Includes connections that never sent a request, which the server itself would wait for. */
  function destroyAll(): void {
    server.closeAllConnections();
    for (const socket of sockets.all) socket.destroy();
  }

  function limitDrain(drainMs: number): void {
    limits.push(setTimeout(() => app.lifecycle.stop(), drainMs));
    limits.push(setTimeout(destroyAll, drainMs + END_GRACE_MS));
  }

  return {
    url: `${tls ? 'https' : 'http'}://${urlHost(address)}:${address.port}`,
    address,
    close({ drainMs }) {
      closing ??= close();
      limitDrain(drainMs);
      // Once closed, nothing is left for the limits to end.
      return closing.then(() => limits.forEach(clearTimeout));
    },
  };
}

function makeServer({ tls, limits: given }: ListenOptions, handle: RequestListener): Server {
  const limits = { ...CONNECTION_LIMITS, ...given };
  const options: ServerOptions = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // Other protocols are not spoken: such a request is served as if it had not asked (RFC 9110, 7.8).
    shouldUpgradeCallback: asksForWebSocket,
  };
  if (tls === undefined) return createServer(options, handle);
  const { handshakeMs: handshakeTimeout } = limits;
  const server = createTlsServer({ ...options, ...tls.options, handshakeTimeout }, handle);
  tls.attach(server);
  return server;
}

interface Sockets {
  all: ReadonlySet<Socket>;
  /** True once HTTP can be spoken: after the TLS handshake, if the server uses TLS. */
  isReady(socket: Socket): boolean;
}

function trackSockets(server: Server, isTls: boolean): Sockets {
  const all = new Set<Socket>();
  const ready = new WeakSet<Socket>();
  server.on('connection', (socket) => {
    all.add(socket);
    socket.once('close', () => all.delete(socket));
  });
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => void ready.add(socket));
  return { all, isReady: (socket) => ready.has(socket) };
}

function urlHost({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1';
  return family === 'IPv6' ? `[${address}]` : address;
}

function listenFailure(error: Error, host: string, port: number, setting: string): ServiceError {
  const address = `${host === '' ? 'every interface' : host}, port ${port}`;
  const { code } = error as NodeJS.ErrnoException; // the error type that node rejects a listen with
  const reason: Record<string, string> = {
    EADDRINUSE: `another process listens there; choose another ${setting}`,
    EACCES: 'this user may not; choose a port above 1023',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'there is no such host',
  };
  const why = reason[code ?? ''] ?? error.message;
  return new ServiceError('config_invalid', `Cannot listen on ${address}: ${why}.`, {
    cause: error,
  });
}
