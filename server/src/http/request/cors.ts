import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { ServiceError } from '../../errors/service-error.ts';
import { contextOf } from './request-context.ts';

/** Response headers that an allowed page may read, beside those that every page may read. */
const EXPOSED = [
  ...['X-Pagination-Total', 'X-Pagination-Next', 'Location', 'Content-Location', 'Retry-After'],
  ...['WWW-Authenticate', 'X-Request-Id', 'X-Service-Version'],
].join(', ');

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';
const CHANGELESS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Lets pages of the allowed origins call the service, without cookies; `*` is every origin. Requests that change
 * something are refused when a page of any other origin sends them: a browser sends a preflight for most of them, but
 * not for all, and not for a POST without a body. Only the routes know which GETs change something:
 * `refuseForeignPage`.
 */
export function createCors(allowedOrigins: readonly string[]): RequestHandler {
  const isAny = allowedOrigins.includes('*');
  const allowed = new Set(allowedOrigins);
  return (req, res, next) => {
    const { origin } = req.headers;
    // The response depends on Origin, whether the header is present or not.
    if (allowed.size > 0 && !isAny) res.vary('Origin');
    const isAllowed = origin !== undefined && (isAny || allowed.has(origin));
    if (!isAllowed) {
      contextOf(res).isFromForeignPage = isFromForeignPage(req.headers);
      if (!CHANGELESS.has(req.method)) refuseForeignPage(res);
      return next();
    }
    res.setHeader('Access-Control-Allow-Origin', isAny ? '*' : origin);
    res.setHeader('Access-Control-Expose-Headers', EXPOSED);
    const isPreflight =
      req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;
    if (!isPreflight) return next();
    res.setHeader('Access-Control-Allow-Methods', METHODS);
    const asked = req.headers['access-control-request-headers'];
    if (asked !== undefined) {
      res.vary('Access-Control-Request-Headers');
      res.setHeader('Access-Control-Allow-Headers', asked);
    }
    res.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    res.statusCode = 204;
    res.end();
  };
}

/** Refuses a request that would change something and comes from a page of an origin that is not allowed. */
export function refuseForeignPage(res: Response): void {
  if (contextOf(res).isFromForeignPage !== true) return;
  const message =
    'Only pages of the service itself, and of the origins in api.cors.allowed_origins, may change something.';
  throw new ServiceError('origin_not_allowed', message);
}

/**
 * True when a page of another origin sends this request, as far as its browser reports it. `Sec-Fetch-Site` decides
 * where it is present: only browsers set it, and they send it to https and to this machine, where DNS rebinding cannot
 * give a page this origin. To other addresses over http they send only the origin. A request with neither comes from a
 * program.
 */
export function isFromForeignPage(headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin') return false;
  // `none` is a user action, such as opening a bookmark; extensions send it too, with their own origin.
  if (site !== undefined && site !== 'none') return true;
  return origin !== undefined && !isOriginOf(origin, host);
}

/** Compares without the scheme: a proxy in front of the service may have terminated TLS. */
function isOriginOf(origin: string, host: string | undefined): boolean {
  const page = URL.parse(origin);
  if (page === null || !/^https?:$/.test(page.protocol)) return false;
  // Both are parsed the same way, so that the scheme's default port may be given or omitted.
  return URL.parse(`${page.protocol}//${host}`)?.host === page.host;
}
