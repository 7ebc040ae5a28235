import { constant } from './limit-row.ts';

const MIB = 1024 * 1024;

/** Requests of one connection that wait for the previous one (HTTP pipelining); clients hardly send any. */
export const PIPELINED_REQUESTS = 32;

/** Bytes of a refused body that are still read, for a client that reads the response only after sending everything. */
export const UNREAD_BODY_BYTES = 64 * MIB;

/** The time limit for reading them. */
export const UNREAD_BODY_MS = 5_000;

/** Concurrent requests of the clients within one run of an agent (`get_client()` without a URL). */
export const AGENT_REQUESTS_AT_ONCE = 32;

/** The rows of the table of limits (limits.ts) about connections and bodies. */
export const httpLimitRows = {
  pipelinedRequests: constant(PIPELINED_REQUESTS, {
    what: 'pipelined requests that wait on one connection; one is handled at a time',
    unit: 'requests',
    where: 'host, as they arrive',
    outcome: 'waiting requests are served, then the connection is closed',
  }),
  unreadBody: constant(UNREAD_BODY_BYTES, {
    what: 'what is still taken, and dropped, of a body that was refused',
    unit: 'bytes',
    where: 'host, after the response',
    outcome: 'the connection is closed',
  }),
  unreadBodyTime: constant(UNREAD_BODY_MS, {
    what: 'the time for it',
    unit: 'ms',
    where: 'host, after the response',
    outcome: 'the connection is closed',
  }),
  agentRequests: constant(AGENT_REQUESTS_AT_ONCE, {
    what: 'requests under way of the clients without a URL (`get_client()`) of one run, or of one request to `http.app`; each takes as long as its run may once its body has come, which it does within 300 s',
    unit: 'requests',
    where: 'host, before the body is read',
    outcome: '429 `too_many_requests`',
  }),
};
