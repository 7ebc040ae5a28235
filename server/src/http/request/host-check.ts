import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.ts';
import { isProbe } from './service-token.ts';
import { contextOf } from './request-context.ts';

const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127(\.\d{1,3}){3}\]?)$/;

/** True for names and addresses that mean this machine only. */
export function isLoopbackHost(host: string): boolean {
  const name = plainName(host);
  return name === 'localhost' || name.endsWith('.localhost') || LOOPBACK_ADDRESS.test(name);
}

/** Which Host headers a listener accepts. */
export interface HostRules {
  /** The host that the listener binds. */
  listenHost: string;
  /** `api.allowed_hosts`: names that are accepted as well, in lower case. */
  allowedHosts?: readonly string[];
  /** Every caller must authenticate, so a page that uses DNS rebinding gets nothing. */
  asksForCredentials?: boolean;
}

/**
 * A web page can make its own name resolve to an address of this machine, and then has the service's origin in its
 * browser (DNS rebinding); only the Host header reveals it. On a loopback listener the name must be loopback. On other
 * listeners, addresses pass as well: a page has an address as its host only if it was loaded from there. Where callers
 * must authenticate, every name passes, unless names are listed. Probes pass under any name, but then get only the bare
 * status.
 */
export function createHostCheck(rules: HostRules): RequestHandler {
  const isAllowed = hostRule(rules);
  return (req, res, next) => {
    // Node uses the first of several; a proxy in front of the service may have used another one (RFC 9112, 3.2).
    if ((req.headersDistinct['host']?.length ?? 0) > 1) {
      const message = 'A request has one Host header.';
      const details = { issues: [{ path: '', message }] };
      return next(new ServiceError('invalid_request', message, { details }));
    }
    const name = plainName((req.headers.host ?? '').replace(/:\d*$/, ''));
    if (isAllowed(name)) return next();
    if (isProbe(req)) {
      contextOf(res).isHostForeign = true;
      return next();
    }
    const message =
      'The Host header is not of this service; names of its own are listed in api.allowed_hosts.';
    next(new ServiceError('host_not_allowed', message));
  };
}

function hostRule(rules: HostRules): (name: string) => boolean {
  const { listenHost, allowedHosts = [], asksForCredentials = false } = rules;
  const listed = new Set(allowedHosts);
  if (isLoopbackHost(listenHost)) return (name) => isLoopbackHost(name) || listed.has(bare(name));
  if (asksForCredentials && listed.size === 0) return () => true;
  return (name) => isIP(bare(name)) !== 0 || isLoopbackHost(name) || listed.has(bare(name));
}

/** In lower case, and without the trailing dot of a fully qualified name (RFC 1034, 3.1). */
function plainName(host: string): string {
  return host.toLowerCase().replace(/(?<=[^.\]])\.$/, '');
}

/** An IPv6 address without its brackets. */
function bare(name: string): string {
  return /^\[(.*)\]$/.exec(name)?.[1] ?? name;
}
