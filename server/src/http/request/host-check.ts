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

/** Which Host headers a listener takes. */
export interface HostRules {
  /** The host the listener binds. */
  listenHost: string;
  /** `api.allowed_hosts`: names that pass as well, in lower case. */
  allowedHosts?: readonly string[];
  /** Whoever calls has to show who it is, so a page that was rebound gets nothing. */
  asksForCredentials?: boolean;
}

/**
 * A web page can have its own name resolve to an address of this machine, and is then of the service's origin for its
 * browser (DNS rebinding); only the Host header tells. On a loopback listener it must be loopback. On another one,
 * addresses pass beside loopback names: no page is named so unless it comes from there. Where callers show who they
 * are, every name passes, unless names are listed. Probes pass under any name, and are told the bare status then.
 */
export function createHostCheck(rules: HostRules): RequestHandler {
  const isAllowed = hostRule(rules);
  return (req, res, next) => {
    // Node takes the first of several; what stands before the service may have taken the other one (RFC 9112, 3.2).
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

/** In lower case, and without the dot at the end that only says that the name is whole (RFC 1034, 3.1). */
function plainName(host: string): string {
  return host.toLowerCase().replace(/(?<=[^.\]])\.$/, '');
}

/** An IPv6 address without its brackets. */
function bare(name: string): string {
  return /^\[(.*)\]$/.exec(name)?.[1] ?? name;
}
