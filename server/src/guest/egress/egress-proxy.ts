/*
 * The network: a guest has no direct access; `egress/` is an HTTP proxy in the service on a socket of the private
 * folder, and a forwarder in the guest's program connects to it from the sandbox's loopback. It uses Node's own `http`
 * and `net`: the evaluated libraries listen on ports only, or connect by name after the check. Only `reach.ts`
 * connects: it checks the host, then the address, then opens a socket to that same address.
 */
import { createServer, type Server } from 'node:http';
import { Socket } from 'node:net';
import * as limitsOfAll from '../../model/limits/egress-limits.ts';
import type { RunId } from '../../model/ids.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Logger } from '../port.ts';
import { AllowList } from './allow-list.ts';
import { DenialLog } from './denial-log.ts';
import type { EgressRule } from './egress-rule.ts';
import { forwardRequest } from './forward-request.ts';
import { Lookups, nameLookup, type Resolve } from './name-lookup.ts';
import { reach } from './reach.ts';
import { type EgressLimit, EgressRefusal } from './refusal.ts';
import { openTunnel, refuse } from './tunnel.ts';

/** The limits of model/limits/egress-limits.ts, unless a test sets others. */
export interface EgressLimits {
  connections: number;
  headerMs: number;
  connectMs: number;
  idleMs: number;
}

const usualLimits: EgressLimits = {
  connections: limitsOfAll.EGRESS_CONNECTIONS,
  headerMs: limitsOfAll.EGRESS_HEADER_MS,
  connectMs: limitsOfAll.EGRESS_CONNECT_MS,
  idleMs: limitsOfAll.EGRESS_IDLE_MS,
};

/** The metrics of the proxy; bytes are counted when their connection closes. */
export type EgressMetrics = Pick<
  Metrics,
  'egressDenied' | 'egressLimits' | 'egressBytes' | 'egressConnections'
>;

export interface EgressProxyOptions {
  /** The socket it listens on; the guest's forwarder connects to it. Removed when the proxy closes. */
  socketPath: string;
  /** The rules of `guest.egress_allow`; absent: every public host. */
  allow?: readonly EgressRule[];
  /** The guest's current runs, for the log. */
  runsOf: () => readonly RunId[];
  logger: Logger;
  metrics: EgressMetrics;
  /** How names are looked up; absent: by the hosts file and name servers of this machine. */
  resolve?: Resolve;
  limits?: Partial<EgressLimits>;
}

export interface EgressProxy {
  /** Closes every connection. Idempotent. */
  close(): Promise<void>;
}

/**
 * The only network access of a sandboxed guest: an HTTP proxy (CONNECT, and plain requests) on a unix socket in its
 * folder. Every connection goes to an address that was checked for it. Rejects when the socket cannot be created.
 */
export async function startEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const { metrics } = options;
  const limits = { ...usualLimits, ...options.limits };
  const onLimit = (limit: EgressLimit): void => metrics.egressLimits.inc({ limit });
  const exits = { reach: reachCounted(options, limits, onLimit), onLimit };

  const server = createServer(
    {
      maxHeaderSize: limitsOfAll.EGRESS_HEADER_BYTES,
      headersTimeout: limits.headerMs,
      requestTimeout: 0, // a large upload may take long
      connectionsCheckingInterval: Math.min(1_000, limits.headerMs),
    },
    (request, response) => void forwardRequest(request, response, exits),
  );
  server.maxRequestsPerSocket = 1; // plain requests are rare: a connection for each
  server.maxHeadersCount = 0; // no header may be dropped; their bytes are bounded
  server.on('connect', (request, client, early) => void openTunnel(request, client, early, exits));
  server.on('clientError', (error, client) => {
    const refusal = parserRefusal(error, onLimit);
    // A refusal must not be written into the middle of a response.
    if (client instanceof Socket && client.bytesWritten > 0) client.destroy();
    else refuse(client, refusal);
  });
  const sockets = watchConnections(server, { ...options, limits, onLimit });
  await listen(server, options.socketPath);

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { close: () => (closing ??= close()) };
}

/** Connects; counts the bytes, and counts and logs refusals. */
function reachCounted(
  options: EgressProxyOptions,
  { connectMs }: EgressLimits,
  onLimit: (limit: EgressLimit) => void,
): (...asked: [Parameters<typeof reach>[0], AbortSignal]) => Promise<Socket> {
  const { metrics, resolve = nameLookup() } = options;
  const { EGRESS_LOG_MS: ms, EGRESS_LOG_HOSTS: hosts, EGRESS_LOOKUPS } = limitsOfAll;
  const log = new DenialLog({ ...options, burst: { ms, hosts } });
  const allowed = new AllowList(options.allow);
  const way = { allowed, lookups: new Lookups(EGRESS_LOOKUPS, resolve), connectMs, onLimit };
  return async (target, gone) => {
    try {
      const socket = await reach(target, way, gone);
      socket.once('close', () => {
        metrics.egressBytes.inc({ direction: 'in' }, socket.bytesRead);
        metrics.egressBytes.inc({ direction: 'out' }, socket.bytesWritten);
      });
      return socket;
    } catch (error) {
      if (error instanceof EgressRefusal && error.denied !== undefined) {
        const { reason } = error.denied;
        metrics.egressDenied.inc({ reason });
        log.note(target, reason);
      }
      throw error;
    }
  };
}

/** Bounds the number of connections and their idle time. */
function watchConnections(
  server: Server,
  {
    limits,
    metrics,
    onLimit,
  }: EgressProxyOptions & { limits: EgressLimits; onLimit: (limit: EgressLimit) => void },
): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.maxConnections = limits.connections;
  server.on('drop', () => onLimit('connections'));
  server.on('connection', (socket) => {
    sockets.add(socket);
    metrics.egressConnections.inc();
    socket.once('close', () => {
      sockets.delete(socket);
      metrics.egressConnections.dec();
    });
    // Reading and writing both count as activity, so one side of a tunnel covers both. To a client that does not read
    // nothing is written either.
    socket.setTimeout(limits.idleMs);
    socket.on('timeout', () => {
      onLimit('idle_time');
      socket.destroy();
    });
  });
  return sockets;
}

function parserRefusal(
  error: NodeJS.ErrnoException,
  onLimit: (limit: EgressLimit) => void,
): EgressRefusal {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    onLimit('header_bytes');
    const most = limitsOfAll.EGRESS_HEADER_BYTES;
    return new EgressRefusal(431, `The headers of a request may have ${most} bytes.`);
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    onLimit('header_time');
    return new EgressRefusal(408, 'The headers of the request did not come in time.');
  }
  return new EgressRefusal(400, 'This is no valid HTTP request.');
}

async function listen(server: Server, socketPath: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  server.on('error', () => undefined); // an error of accepting does not affect later connections
}
