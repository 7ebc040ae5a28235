/** The limits of the proxy through which sandboxed agents reach the network, each for one guest. */
import { constant, type LimitRow } from './limit-row.ts';

const SECOND = 1_000;

/** Each costs the server two file descriptors, and up to 128 KiB while one side is slower than the other. */
export const EGRESS_CONNECTIONS = 512;

/** The headers of a request to the proxy, and of a response that it passes on. */
export const EGRESS_HEADER_BYTES = 16 * 1_024;

/** From the connection, or the end of the previous request, until all headers have arrived. */
export const EGRESS_HEADER_MS = 10 * SECOND;

/** Including the name lookup. */
export const EGRESS_CONNECT_MS = 10 * SECOND;

/** A model that thinks sends nothing meanwhile: clients of models wait for up to 10 minutes. */
export const EGRESS_IDLE_MS = 900 * SECOND;

/** Each is a query to a name server, which may never respond. */
export const EGRESS_LOOKUPS = 16;

/** For one name, all its name servers and search domains together. */
export const EGRESS_LOOKUP_MS = 8 * SECOND;

/** A refusal is logged once for each host and reason in this time. */
export const EGRESS_LOG_MS = 60 * SECOND;

/** Hosts whose refusals are logged in that time. */
export const EGRESS_LOG_HOSTS = 50;

const where = 'host, proxy of a sandboxed guest';

/** The rows of docs/limits.md. */
export const egressLimitRows = {
  egressConnections: constant(EGRESS_CONNECTIONS, {
    what: 'connections of one sandboxed guest to the network at once',
    unit: 'connections',
    where,
    outcome: 'the next one is closed; `service_egress_limits_total`, `connections`',
  }),
  egressHeaderBytes: constant(EGRESS_HEADER_BYTES, {
    what: 'headers of one request to it, or of one plain HTTP response',
    unit: 'bytes',
    where,
    outcome: '431, for a response 502; `header_bytes`',
  }),
  egressHeaderTime: constant(EGRESS_HEADER_MS, {
    what: 'time until the headers of a request have come',
    unit: 'ms',
    where,
    outcome: '408, and the connection is closed; `header_time`',
  }),
  egressConnectTime: constant(EGRESS_CONNECT_MS, {
    what: 'time to look a name up and to connect',
    unit: 'ms',
    where,
    outcome: '504; `connect_time`',
  }),
  egressIdleTime: constant(EGRESS_IDLE_MS, {
    what: 'time of a connection without a byte in either direction',
    unit: 'ms',
    where,
    outcome: 'it is closed; `idle_time`',
  }),
  egressLookups: constant(EGRESS_LOOKUPS, {
    what: 'names that are looked up at once for one sandboxed guest',
    unit: 'requests',
    where,
    outcome: 'the next one waits',
  }),
  egressLookupTime: constant(EGRESS_LOOKUP_MS, {
    what: 'time of looking one name up',
    unit: 'ms',
    where,
    outcome: '502: the name could not be looked up',
  }),
  egressLog: constant(EGRESS_LOG_HOSTS, {
    what: 'refused hosts that are logged in 60 s, each with each reason once',
    unit: 'rows',
    where,
    outcome: 'counted in the next line as `not_logged`',
  }),
} satisfies Record<string, LimitRow>;
